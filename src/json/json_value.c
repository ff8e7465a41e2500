#include "json_value.h"

#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_SIZE = 40, REAL_DIGITS_FEWEST = 15, REAL_DIGITS_MOST = 17 };

struct bytes json_text(const json_t *string) {
    return (struct bytes){(const unsigned char *)json_string_value(string),
                          json_string_length(string)};
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
        json_value_write(out, value);
    }
    buffer_append_byte(out, '}');
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void write_array(struct buffer *out, const json_t *array) {
    buffer_append_byte(out, '[');
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        json_value_write(out, json_array_get(array, i));
    }
    buffer_append_byte(out, ']');
}

/* No deeper than the text that was read, which its reader bounds. */
/* NOLINTNEXTLINE(misc-no-recursion) */
void json_value_write(struct buffer *out, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        write_object(out, value);
        break;
    case JSON_ARRAY:
        write_array(out, value);
        break;
    case JSON_STRING:
        json_write_string(out, json_text(value));
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
