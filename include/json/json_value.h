/* What a JSON value of a tree holds, and its JSON text. It knows nothing of what the values mean.
 */
#ifndef TANDEM_JSON_VALUE_H
#define TANDEM_JSON_VALUE_H

#include "buffer.h"

#include <jansson.h>

/* The text of a string, borrowed from it; empty for any other value, and for NULL. */
struct bytes json_text(const json_t *string);

/* Appends the value as compact JSON, its strings in the protocol's form, which jansson's writer
 * hasn't, its names in the order in which they came, and its numbers as short as they can be. */
void json_value_write(struct buffer *out, const json_t *value);

#endif
