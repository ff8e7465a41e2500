/* JSON values and the types of JSON Schema. Private to contract. */
#ifndef TANDEM_CONTRACT_VALUE_H
#define TANDEM_CONTRACT_VALUE_H

#include "bytes.h"

#include <jansson.h>

/* Kinds of values, as bits of a set. */
enum kind {
    KIND_STRING = 1,
    KIND_INTEGER = 2, /* a whole number, also when it is written as 1.0 */
    KIND_FRACTION = 4,
    KIND_BOOLEAN = 8,
    KIND_ARRAY = 16,
    KIND_OBJECT = 32,
    KIND_NULL = 64,
    KIND_ALL = 127,
};

/* A type's name in JSON Schema. */
struct type {
    const char *name;
    unsigned kinds; /* what it takes: a number takes integers too */
    enum kind mark; /* the one kind that tells it from the others */
};

/* The type of that name, or NULL. Static storage. */
const struct type *type_of_name(struct bytes name);

/* The type that has this mark. */
const struct type *type_of_mark(enum kind mark);

enum kind value_kind(json_t *value);

/* Equal as JSON Schema has it: 1 and 1.0 are. */
bool values_equal(json_t *left, json_t *right);

bool value_is_among(json_t *value, json_t *array);

#endif
