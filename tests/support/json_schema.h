/* Checks a JSON value against a schema of OpenAPI 3.0. A schema with a keyword that isn't known
 * here holds for nothing: a check that is skipped in silence would pass everything. */
#ifndef TANDEM_TEST_JSON_SCHEMA_H
#define TANDEM_TEST_JSON_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

struct schema_problem {
    char text[1024]; /* where in the value, and what is wrong there */
};

enum schema_reading {
    SCHEMA_LENIENT, /* undeclared fields are fine unless the schema says otherwise */
    SCHEMA_STRICT,  /* undeclared fields are refused unless the schema lets them in */
};

/* True when `value` fits `schema`; $ref is looked up in `document`. Otherwise `problem` is filled
 * in; `where` is the value's name in it. An object under allOf is read leniently, since each branch
 * declares only some of its fields. */
bool schema_check(json_t *document, json_t *schema, json_t *value, enum schema_reading reading,
                  const char *where, struct schema_problem *problem);

/* The value at a JSON pointer ("#/components/schemas/Booking"), or NULL. */
json_t *json_at(json_t *document, const char *pointer);

/* Fills a problem in, and returns false. */
__attribute__((format(printf, 2, 3))) bool schema_fail(struct schema_problem *problem,
                                                       const char *format, ...);

#endif
