/* The Idempotency-Key header. Pure. Private to service. */
#ifndef TANDEM_IDEMPOTENCY_KEY_H
#define TANDEM_IDEMPOTENCY_KEY_H

#include "bytes.h"

/* Reads a key: 1 to IDEMPOTENCY_KEY_SIZE_MAX bytes of printable ASCII, bare or in double quotes (in
 * which `\"` and `\\` stand for one byte, and count as two). False, with `key` untouched, for
 * anything else. The key is part of `header`; with and without quotes it is the same key. */
bool idempotency_key_parse(struct bytes header, struct bytes *key);

#endif
