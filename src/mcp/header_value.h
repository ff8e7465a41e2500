/* The value of an Mcp- header, which may be written in base64. Pure. Private to mcp. */
#ifndef TANDEM_HEADER_VALUE_H
#define TANDEM_HEADER_VALUE_H

#include "bytes.h"

/* True when a header's value stands for `expected`: as it is, or as =?base64?…?=. */
bool header_value_is(struct bytes value, struct bytes expected);

#endif
