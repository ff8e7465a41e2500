/* Lowercase hexadecimal out, either case in. */
#ifndef TANDEM_HEX_H
#define TANDEM_HEX_H

#include "bytes.h"

/* Writes 2 * bytes.size lowercase digits to `out`, without a NUL. */
void hex_write(struct bytes bytes, unsigned char *out);

/* The value of a digit of either case, or -1 when it is none. */
int hex_digit_value(unsigned char digit);

/* Reads exactly 2 * size digits of either case. False, with `out` untouched, for anything else. */
bool hex_parse(struct bytes digits, unsigned char *out, size_t size);

#endif
