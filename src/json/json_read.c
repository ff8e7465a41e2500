#include "json_read.h"

#include "json_text.h"
#include "protocol_limits.h"

#include <stdio.h>

/* jansson's own texts quote the input, so each of its codes has a text of ours. */
static const char *text_of_error(enum json_error_code code) {
    switch (code) {
    case json_error_duplicate_key:
        return "the body gives a field twice";
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "the body has a NUL in a string";
    case json_error_numeric_overflow:
        return "the body has a number out of range";
    case json_error_invalid_utf8:
        return "the body is not UTF-8";
    case json_error_end_of_input_expected:
        return "the body goes on after its JSON value";
    case json_error_premature_end_of_input:
        return "the body's JSON is cut short";
    case json_error_unknown:
    case json_error_out_of_memory:
    case json_error_stack_overflow:
    case json_error_cannot_open_file:
    case json_error_invalid_argument:
    case json_error_invalid_syntax:
    case json_error_invalid_format:
    case json_error_wrong_type:
    case json_error_null_value:
    case json_error_item_not_found:
    case json_error_index_out_of_range:
        break;
    }
    return "the body is not JSON";
}

static enum status refuse(struct json_problem *problem, const char *text,
                          const json_error_t *where) {
    if (problem == NULL)
        return STATUS_INVALID;
    problem->code = where == NULL ? json_error_unknown : json_error_code(where);
    if (where == NULL)
        snprintf(problem->text, sizeof problem->text, "%s", text);
    else
        snprintf(problem->text, sizeof problem->text, "%s (line %d, column %d)", text, where->line,
                 where->column);
    return STATUS_INVALID;
}

enum status json_read(struct bytes text, struct json_tree *tree, struct json_problem *problem) {
    if (text.size == 0)
        return refuse(problem, "the body is empty", NULL);
    if (json_nesting_depth(text) > JSON_DEPTH_MAX)
        return refuse(problem, "the body is nested deeper than 64", NULL);
    json_error_t error = {.text = ""};
    enum status status = json_tree_read(text, tree, &error);
    return status == STATUS_INVALID
               ? refuse(problem, text_of_error(json_error_code(&error)), &error)
               : status;
}
