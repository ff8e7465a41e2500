/* An elicitation form: the fields that a server asks for, read from its `requestedSchema` (MCP
 * 2026-07-28, client/elicitation), and the check of what a person says to each. Pure. It must not
 * know of terminals, or of where the form came from.
 *
 * A schema is flat: strings, numbers, booleans and choices. One that says something else is no form
 * that could be asked. Keywords that it doesn't know are ignored; so is a default that its own
 * field doesn't allow. */
#ifndef TANDEM_FORM_H
#define TANDEM_FORM_H

#include "buffer.h"

#include <stdint.h>

/* Ceilings: fields of a form, choices of a field, and bytes of the JSON of one answer. */
enum { FORM_FIELDS_MOST = 64, FORM_CHOICES_MOST = 1000, FORM_ANSWER_SIZE_MAX = 1048576 };

enum form_type {
    FORM_STRING,
    FORM_INTEGER,
    FORM_NUMBER,
    FORM_BOOLEAN,
    FORM_CHOICE,  /* one of them */
    FORM_CHOICES, /* any of them */
};

enum form_format { FORM_ANY, FORM_EMAIL, FORM_URI, FORM_DATE, FORM_DATE_TIME };

struct form_choice {
    struct bytes value;
    struct bytes title; /* the value where it has none of its own */
};

/* All texts are UTF-8 that may hold NUL. */
struct form_field {
    struct bytes name;
    struct bytes title; /* empty: none */
    struct bytes description;
    enum form_type type;
    bool is_required;
    enum form_format format; /* of a string */
    int64_t least;           /* code points of a string, or how many choices */
    int64_t most;            /* INT64_MAX: any number */
    bool has_minimum;        /* of a number */
    bool has_maximum;
    double minimum;
    double maximum;
    const struct form_choice *choices;
    size_t choice_count;
    struct bytes standard; /* the default, as the JSON of an answer; empty: none */
};

struct form {
    struct form_field fields[FORM_FIELDS_MOST];
    size_t field_count;
    struct form_choice *choices; /* of all fields; owned */
    struct buffer standards;     /* of all fields; owned */
};

struct json_t;

/* STATUS_OK and a form, released with form_done; its texts are borrowed from the schema. What is
 * wrong (static storage) and STATUS_INVALID; STATUS_NO_MEMORY. */
enum status form_read(const struct json_t *schema, struct form *out, const char **problem);
void form_done(struct form *form);

/* Reads what was said to a field, UTF-8: the text itself, a number, yes or no (true or false), the
 * value or the title of a choice, several with commas between. Blanks around all but a string and a
 * choice's own value don't count. Appends the JSON of the answer to `json`, and returns STATUS_OK;
 * or appends what would be right to `problem` and returns STATUS_INVALID. STATUS_NO_MEMORY,
 * STATUS_LIMIT. `numbers_count`: a choice may also be given by its number, from 1; what is a value
 * or a title isn't taken for one. */
enum status form_answer(const struct form_field *field, struct bytes text, bool numbers_count,
                        struct buffer *json, struct buffer *problem);

/* Adds an answer's JSON to the members of a content, which start as an empty buffer. */
void form_add_answer(struct buffer *content, const struct form_field *field, struct bytes json);

#endif
