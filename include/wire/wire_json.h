/* The booking that a request over another entrance carries, from JSON that was read already. */
#ifndef TANDEM_WIRE_JSON_H
#define TANDEM_WIRE_JSON_H

#include "wire.h"

#include <jansson.h>

/* As wire_request_parse. `arguments` is an object; `responses` (an object) and `state` (a string)
 * are NULL when none came. All are borrowed for as long as the request lives. */
enum status wire_request_of_json(struct bytes salon, const json_t *arguments,
                                 const json_t *responses, const json_t *state,
                                 struct wire_request **out, struct wire_problem *problem);

/* Reads a string of `size_max` bytes at most; false and a problem that calls it `where`. */
bool wire_string_read(const json_t *value, const char *where, size_t size_max, struct bytes *out,
                      struct wire_problem *problem);

#endif
