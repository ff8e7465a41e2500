/* Lowercase hexadecimal out, either case in. */
#ifndef TANDEM_HEX_H
#define TANDEM_HEX_H

#include "bytes.h"

/* Writes 2 * bytes.size lowercase digits to `out`, without a NUL. */
void hex_write(struct bytes bytes, unsigned char *out);

/* Reads exactly 2 * size digits of either case. False, with `out` untouched, for anything else. */
bool hex_parse(struct bytes digits, unsigned char *out, size_t size);

#endif
