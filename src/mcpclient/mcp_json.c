#include "mcp_json.h"

#include "json_text.h"

/* jansson's own texts quote the input. */
static const char *text_of_error(enum json_error_code code) {
    switch (code) {
    case json_error_duplicate_key:
        return "it gives a name twice";
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "it has a NUL in a name";
    case json_error_numeric_overflow:
        return "it has a number out of range";
    case json_error_invalid_utf8:
        return "it is not UTF-8";
    case json_error_end_of_input_expected:
        return "it goes on after its JSON value";
    case json_error_premature_end_of_input:
        return "its JSON is cut short";
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
    return "it is not JSON";
}

enum status mcp_json_read(struct bytes text, struct json_tree *out, const char **problem) {
    *problem = text.size == 0 ? "it is empty" : "it is nested deeper than 64";
    if (text.size == 0 || json_nesting_depth(text) > JSON_DEPTH_MAX)
        return STATUS_INVALID;
    json_error_t error = {.text = ""};
    enum status status = json_tree_read_with_nul(text, out, &error);
    *problem = status == STATUS_INVALID ? text_of_error(json_error_code(&error)) : NULL;
    return status;
}

struct bytes mcp_json_member_text(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return json_is_string(value) ? json_text(value) : BYTES("");
}

bool mcp_json_is(const json_t *value, struct bytes text) {
    return json_is_string(value) && bytes_equal(json_text(value), text);
}

const json_t *mcp_json_member(const json_t *object, struct bytes name) {
    const char *key = NULL;
    json_t *value = NULL;
    json_t *all = (json_t *)(uintptr_t)object; /* jansson's iterators take no const */
    json_object_foreach(all, key, value) {
        if (bytes_equal(bytes_of_text(key), name))
            return value;
    }
    return NULL;
}
