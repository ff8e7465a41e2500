#include "form.h"

#include "form_format.h"
#include "json_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_TEXT_SIZE = 64, DIGITS_MOST = 6 };

/* The largest integer that every reader of JSON holds exactly. */
static const double SAFE_INTEGER_MOST = 9007199254740991.0;

static enum status wrong(struct buffer *problem, const char *text) {
    buffer_append_text(problem, text);
    return problem->status == STATUS_OK ? STATUS_INVALID : problem->status;
}

static int64_t count_code_points(struct bytes text) {
    int64_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        if ((text.data[i] & 0xC0) != 0x80)
            count++;
    return count;
}

/* "from 1 to 5", "5 at the most", "1 at least". */
static void write_range(struct buffer *out, int64_t least, int64_t most) {
    if (most != INT64_MAX && least > 0)
        buffer_append_text(out, "from ");
    if (most == INT64_MAX || least > 0)
        buffer_append_integer(out, least);
    if (most == INT64_MAX) {
        buffer_append_text(out, " at least");
        return;
    }
    if (least > 0)
        buffer_append_text(out, " to ");
    buffer_append_integer(out, most);
    if (least == 0)
        buffer_append_text(out, " at the most");
}

static enum status wrong_count(const struct form_field *field, struct buffer *problem,
                               const char *what) {
    buffer_append_text(problem, what);
    write_range(problem, field->least, field->most);
    return problem->status == STATUS_OK ? STATUS_INVALID : problem->status;
}

static enum status answer_string(const struct form_field *field, struct bytes text,
                                 struct buffer *json, struct buffer *problem) {
    if (!bytes_are_utf8(text))
        return wrong(problem, "it must be UTF-8");
    int64_t length = count_code_points(text);
    if (length < field->least || length > field->most)
        return wrong_count(field, problem, "its characters must be ");
    if (!form_format_has(field->format, text)) {
        buffer_append_text(problem, "it must be ");
        return wrong(problem, form_format_example(field->format));
    }
    json_write_string(json, text);
    return json->status;
}

/* Moves on behind digits; false when there is none. */
static bool skip_digits(struct bytes text, size_t *at) {
    size_t first = *at;
    while (*at < text.size && text.data[*at] >= '0' && text.data[*at] <= '9')
        ++*at;
    return *at > first;
}

/* Moves on behind one of these characters, if there is one. */
static bool skip_one_of(struct bytes text, size_t *at, const char *bytes) {
    bool is = *at < text.size && text.data[*at] != '\0' && strchr(bytes, text.data[*at]) != NULL;
    *at += is ? 1 : 0;
    return is;
}

/* JSON's grammar of a number, and whether it is one without fraction and exponent. */
static bool is_number(struct bytes text, bool *is_integer) {
    size_t at = 0;
    skip_one_of(text, &at, "-");
    size_t first = at;
    if (!skip_digits(text, &at) || (text.data[first] == '0' && at > first + 1))
        return false;
    size_t end_of_integer = at;
    if (skip_one_of(text, &at, ".") && !skip_digits(text, &at))
        return false;
    if (skip_one_of(text, &at, "eE")) {
        skip_one_of(text, &at, "+-");
        if (!skip_digits(text, &at))
            return false;
    }
    *is_integer = at == end_of_integer;
    return at == text.size;
}

static void write_bound(struct buffer *out, double bound) {
    char text[NUMBER_TEXT_SIZE];
    snprintf(text, sizeof text, "%.15g", bound);
    buffer_append_text(out, text);
}

static enum status wrong_number(const struct form_field *field, struct buffer *problem) {
    buffer_append_text(problem, field->type == FORM_INTEGER ? "it must be a whole number"
                                                            : "it must be a number");
    if (field->has_minimum) {
        buffer_append_text(problem, field->has_maximum ? " from " : " of at least ");
        write_bound(problem, field->minimum);
    }
    if (field->has_maximum) {
        buffer_append_text(problem, field->has_minimum ? " to " : " of at most ");
        write_bound(problem, field->maximum);
    }
    return problem->status == STATUS_OK ? STATUS_INVALID : problem->status;
}

static enum status answer_number(const struct form_field *field, struct bytes text,
                                 struct buffer *json, struct buffer *problem) {
    char copy[NUMBER_TEXT_SIZE] = "";
    bool is_integer = false;
    text = bytes_trimmed(text);
    if (text.size >= sizeof copy || !is_number(text, &is_integer))
        return wrong_number(field, problem);
    memcpy(copy, text.data, text.size);
    double value = strtod(copy, NULL);
    bool is_whole = is_integer || (fabs(value) <= SAFE_INTEGER_MOST && floor(value) == value);
    if (!isfinite(value) || (field->has_minimum && value < field->minimum) ||
        (field->has_maximum && value > field->maximum) ||
        (is_integer && fabs(value) > SAFE_INTEGER_MOST) ||
        (field->type == FORM_INTEGER && !is_whole))
        return wrong_number(field, problem);
    if (field->type == FORM_INTEGER)
        buffer_append_integer(json, (int64_t)value);
    else
        buffer_append(json, text);
    return json->status;
}

static enum status answer_boolean(struct bytes text, struct buffer *json, struct buffer *problem) {
    static const char *const yes[] = {"yes", "y", "true"};
    static const char *const no[] = {"no", "n", "false"};
    text = bytes_trimmed(text);
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        bool is_yes = bytes_equal_ignoring_case(text, bytes_of_text(yes[i]));
        if (!is_yes && !bytes_equal_ignoring_case(text, bytes_of_text(no[i])))
            continue;
        buffer_append_text(json, is_yes ? "true" : "false");
        return json->status;
    }
    return wrong(problem, "it must be yes or no");
}

static bool find_number(const struct form_field *field, struct bytes text, size_t *index) {
    size_t number = 0;
    if (text.size == 0 || text.size > DIGITS_MOST)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        number = number * 10 + (size_t)(text.data[i] - '0');
    }
    *index = number - 1;
    return number >= 1 && number <= field->choice_count;
}

/* Values come first, lest a title that is another choice's value took its place. */
static bool find_choice(const struct form_field *field, struct bytes text, bool numbers_count,
                        size_t *index) {
    struct bytes word = bytes_trimmed(text);
    const struct bytes tries[] = {text, word};
    for (size_t try = 0; try < 2; try++)
        for (size_t i = 0; i < field->choice_count; i++)
            if (bytes_equal(field->choices[i].value, tries[try])) {
                *index = i;
                return true;
            }
    for (size_t i = 0; i < field->choice_count; i++)
        if (bytes_equal(field->choices[i].title, word)) {
            *index = i;
            return true;
        }
    return numbers_count && find_number(field, word, index);
}

static enum status answer_choice(const struct form_field *field, struct bytes text,
                                 bool numbers_count, struct buffer *json, struct buffer *problem) {
    size_t index = 0;
    if (!find_choice(field, text, numbers_count, &index))
        return wrong(problem, "it is not among the choices");
    json_write_string(json, field->choices[index].value);
    return json->status;
}

/* Marks the choices that the text names. */
static enum status mark(const struct form_field *field, struct bytes text, bool numbers_count,
                        bool *is_chosen, struct buffer *problem) {
    size_t index = 0;
    /* A value may have a comma in it. */
    if (find_choice(field, text, false, &index)) {
        is_chosen[index] = true;
        return STATUS_OK;
    }
    for (struct bytes rest = text; rest.size > 0;) {
        size_t size = bytes_find(rest, ',');
        struct bytes part = bytes_up_to(rest, size);
        rest = bytes_from(rest, size + 1);
        if (bytes_trimmed(part).size == 0)
            continue;
        if (!find_choice(field, part, numbers_count, &index)) {
            buffer_append(problem, bytes_trimmed(part));
            return wrong(problem, " is not among the choices");
        }
        is_chosen[index] = true;
    }
    return STATUS_OK;
}

static enum status write_chosen(const struct form_field *field, const bool *is_chosen,
                                struct buffer *json, struct buffer *problem) {
    int64_t count = 0;
    for (size_t i = 0; i < field->choice_count; i++)
        count += is_chosen[i] ? 1 : 0;
    if (count < field->least || count > field->most)
        return wrong_count(field, problem, "the number of choices must be ");
    buffer_append_byte(json, '[');
    for (size_t i = 0, written = 0; i < field->choice_count; i++) {
        if (!is_chosen[i])
            continue;
        if (written++ > 0)
            buffer_append_byte(json, ',');
        json_write_string(json, field->choices[i].value);
    }
    buffer_append_byte(json, ']');
    return json->status;
}

static enum status answer_choices(const struct form_field *field, struct bytes text,
                                  bool numbers_count, struct buffer *json, struct buffer *problem) {
    bool is_chosen[FORM_CHOICES_MOST] = {false};
    enum status status = mark(field, text, numbers_count, is_chosen, problem);
    return status == STATUS_OK ? write_chosen(field, is_chosen, json, problem) : status;
}

enum status form_answer(const struct form_field *field, struct bytes text, bool numbers_count,
                        struct buffer *json, struct buffer *problem) {
    switch (field->type) {
    case FORM_STRING:
        return answer_string(field, text, json, problem);
    case FORM_INTEGER:
    case FORM_NUMBER:
        return answer_number(field, text, json, problem);
    case FORM_BOOLEAN:
        return answer_boolean(text, json, problem);
    case FORM_CHOICE:
        return answer_choice(field, text, numbers_count, json, problem);
    case FORM_CHOICES:
        return answer_choices(field, text, numbers_count, json, problem);
    }
    return STATUS_INVALID;
}

void form_add_answer(struct buffer *content, const struct form_field *field, struct bytes json) {
    if (content->size > 0)
        buffer_append_byte(content, ',');
    json_write_string(content, field->name);
    buffer_append_byte(content, ':');
    buffer_append(content, json);
}
