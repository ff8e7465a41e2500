#include "value.h"

#include <stdint.h>

static const struct type types[] = {
    {"string", KIND_STRING, KIND_STRING},
    {"integer", KIND_INTEGER, KIND_INTEGER},
    {"number", KIND_INTEGER | KIND_FRACTION, KIND_FRACTION},
    {"boolean", KIND_BOOLEAN, KIND_BOOLEAN},
    {"array", KIND_ARRAY, KIND_ARRAY},
    {"object", KIND_OBJECT, KIND_OBJECT},
    {"null", KIND_NULL, KIND_NULL},
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

const struct type *type_of_name(struct bytes name) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (bytes_equal(name, bytes_of_text(types[i].name)))
            return &types[i];
    return NULL;
}

const struct type *type_of_mark(enum kind mark) {
    size_t i = 0;
    while (types[i].mark != mark)
        i++;
    return &types[i];
}

static bool is_whole(double number) {
    static const double exact_most = 9007199254740992.0; /* from there on every double is whole */
    return number >= exact_most || number <= -exact_most || (double)(int64_t)number == number;
}

enum kind value_kind(json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return KIND_OBJECT;
    case JSON_ARRAY:
        return KIND_ARRAY;
    case JSON_STRING:
        return KIND_STRING;
    case JSON_INTEGER:
        return KIND_INTEGER;
    case JSON_REAL:
        return is_whole(json_real_value(value)) ? KIND_INTEGER : KIND_FRACTION;
    case JSON_TRUE:
    case JSON_FALSE:
        return KIND_BOOLEAN;
    case JSON_NULL:
        break;
    }
    return KIND_NULL;
}

/* No deeper than the documents that the values are from. */
/* NOLINTBEGIN(misc-no-recursion) */
static bool arrays_equal(json_t *left, json_t *right) {
    if (json_array_size(left) != json_array_size(right))
        return false;
    for (size_t i = 0; i < json_array_size(left); i++)
        if (!values_equal(json_array_get(left, i), json_array_get(right, i)))
            return false;
    return true;
}

static bool objects_equal(json_t *left, json_t *right) {
    if (json_object_size(left) != json_object_size(right))
        return false;
    for (void *at = json_object_iter(left); at != NULL; at = json_object_iter_next(left, at)) {
        json_t *other =
            json_object_getn(right, json_object_iter_key(at), json_object_iter_key_len(at));
        if (other == NULL || !values_equal(json_object_iter_value(at), other))
            return false;
    }
    return true;
}

bool values_equal(json_t *left, json_t *right) {
    if (json_is_integer(left) && json_is_integer(right))
        return json_integer_value(left) == json_integer_value(right);
    if (json_is_number(left) && json_is_number(right))
        return json_number_value(left) == json_number_value(right);
    if (json_typeof(left) != json_typeof(right))
        return false;
    if (json_is_array(left))
        return arrays_equal(left, right);
    if (json_is_object(left))
        return objects_equal(left, right);
    return json_equal(left, right);
}

/* NOLINTEND(misc-no-recursion) */

bool value_is_among(json_t *value, json_t *array) {
    for (size_t i = 0; i < json_array_size(array); i++)
        if (values_equal(value, json_array_get(array, i)))
            return true;
    return false;
}
