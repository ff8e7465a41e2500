/* A consumer's copy, read strictly into values that hold nothing invalid. Private to contract. */
#ifndef TANDEM_CONTRACT_CONSUMER_H
#define TANDEM_CONTRACT_CONSUMER_H

#include "input.h"
#include "value.h"

enum {
    STEPS_MOST = 32,
    EXPECTATIONS_MOST = 1000,
    SENDS_MOST = 500,  /* of an expectation, those with values included */
    WHENS_MOST = 16,   /* of an expectation */
    READS_MOST = 1000, /* of an expectation */
};

struct method {
    const char *name; /* as OpenAPI writes it */
    const char *capitals;
};

enum { METHOD_COUNT = 8 };
extern const struct method openapi_methods[METHOD_COUNT];

/* One step of a field's path: to a property, or to an array's items. */
struct step {
    struct bytes name; /* of the property; data is NULL for items */
};

/* A field's path, such as "a.b[].c". */
struct field {
    struct bytes text;
    size_t count;
    struct step steps[STEPS_MOST];
};

/* True when both paths have at least `count` steps and the first `count` are the same. */
bool fields_share(const struct field *left, const struct field *right, size_t count);

bool steps_equal(const struct step *left, const struct step *right);

/* Reads a path; false when the text is none. */
bool field_parse(struct bytes text, struct field *out);

/* A field that has a value. */
struct condition {
    struct field field;
    json_t *value;
};

/* A field that is sent; `values` is an array, or NULL when the copy doesn't name any. */
struct sending {
    struct field field;
    json_t *values;
};

/* A field that is read as a type, or as one of an array of values; the other is NULL. */
struct reading {
    struct field field;
    const struct type *type;
    json_t *values;
};

struct expectation {
    struct bytes round;
    struct bytes path;
    const struct method *method;
    int status;
    struct sending *sends; /* those of `sends`, then those that only `sendsValues` names */
    size_t send_count;
    struct condition *whens;
    size_t when_count;
    struct reading *reads;
    size_t read_count;
};

/* All texts and values are borrowed from the tree. */
struct contract_consumer {
    struct json_tree tree;
    json_t *root;
    struct bytes name;
    struct expectation *expectations;
    size_t count;
};

#endif
