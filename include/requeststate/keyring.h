/* The signing keys: the first signs, all verify. A key ring is immutable and counted, so that a
 * server can swap it while requests still use the old one. */
#ifndef TANDEM_KEYRING_H
#define TANDEM_KEYRING_H

#include "bytes.h"
#include "status.h"

#include <stddef.h>

enum { MAC_SIZE = 32, DIGEST_SIZE = 32 };

struct keyring;

/* A ring of `count` keys of at least one byte each, which are copied; their owner wipes his copy.
 * `count` may be 0: such a ring signs and verifies nothing. Released with keyring_release.
 * STATUS_INVALID for an empty key, STATUS_NO_MEMORY, STATUS_IO when the algorithms are missing. */
enum status keyring_new(const struct bytes *keys, size_t count, struct keyring **out);

/* One more, one fewer user; the last release wipes the keys. Any thread. */
struct keyring *keyring_retain(struct keyring *keyring);
void keyring_release(struct keyring *keyring);

size_t keyring_size(const struct keyring *keyring);

/* HMAC-SHA3-256 of `message` under key `index`. Any thread. */
enum status keyring_mac(const struct keyring *keyring, size_t index, struct bytes message,
                        unsigned char mac[MAC_SIZE]);

/* SHA3-256, here because the ring holds the algorithms. Any thread. */
enum status keyring_digest(const struct keyring *keyring, struct bytes message,
                           unsigned char digest[DIGEST_SIZE]);

#endif
