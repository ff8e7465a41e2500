/* The raw text of a member's value, so that an id goes back as it came. Private to mcp. */
#ifndef TANDEM_JSON_MEMBER_H
#define TANDEM_JSON_MEMBER_H

#include "bytes.h"

/* Finds the value of the first member `name` (ASCII letters) of a JSON object. For any bytes it
 * stays within them; only of JSON its word means something. */
bool json_member_find(struct bytes object, struct bytes name, struct bytes *value);

#endif
