#include "mcp_json.h"

#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_SIZE = 40, REAL_DIGITS_FEWEST = 15, REAL_DIGITS_MOST = 17 };

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

struct bytes mcp_json_text(const json_t *string) {
    return (struct bytes){(const unsigned char *)json_string_value(string),
                          json_string_length(string)};
}

struct bytes mcp_json_member_text(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return json_is_string(value) ? mcp_json_text(value) : BYTES("");
}

bool mcp_json_is(const json_t *value, struct bytes text) {
    return json_is_string(value) && bytes_equal(mcp_json_text(value), text);
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

/* The shortest of the usual precisions that reads back as the same number. */
static void write_real(struct buffer *out, double value) {
    char text[REAL_SIZE] = "";
    for (int digits = REAL_DIGITS_FEWEST; digits <= REAL_DIGITS_MOST; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    buffer_append_text(out, text);
    if (strpbrk(text, ".e") == NULL)
        buffer_append(out, BYTES(".0"));
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void write_object(struct buffer *out, const json_t *object) {
    const char *key = NULL;
    json_t *value = NULL;
    bool is_first = true;
    json_t *all = (json_t *)(uintptr_t)object;
    buffer_append_byte(out, '{');
    json_object_foreach(all, key, value) {
        if (!is_first)
            buffer_append_byte(out, ',');
        is_first = false;
        json_write_string(out, bytes_of_text(key));
        buffer_append_byte(out, ':');
        mcp_json_write(out, value);
    }
    buffer_append_byte(out, '}');
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void write_array(struct buffer *out, const json_t *array) {
    buffer_append_byte(out, '[');
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        mcp_json_write(out, json_array_get(array, i));
    }
    buffer_append_byte(out, ']');
}

/* Its depth is that of the text that was read, so JSON_DEPTH_MAX at the most. */
/* NOLINTNEXTLINE(misc-no-recursion) */
void mcp_json_write(struct buffer *out, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        write_object(out, value);
        break;
    case JSON_ARRAY:
        write_array(out, value);
        break;
    case JSON_STRING:
        json_write_string(out, mcp_json_text(value));
        break;
    case JSON_INTEGER:
        buffer_append_integer(out, json_integer_value(value));
        break;
    case JSON_REAL:
        write_real(out, json_real_value(value));
        break;
    case JSON_TRUE:
        buffer_append(out, BYTES("true"));
        break;
    case JSON_FALSE:
        buffer_append(out, BYTES("false"));
        break;
    case JSON_NULL:
        buffer_append(out, BYTES("null"));
        break;
    }
}
