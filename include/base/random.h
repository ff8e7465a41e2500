#ifndef TANDEM_RANDOM_H
#define TANDEM_RANDOM_H

#include "status.h"

#include <pthread.h>
#include <stddef.h>

/* Fills `size` bytes (256 at the most) from the operating system's generator. STATUS_IO when it
 * gives none; then `out` holds nothing of use. Any thread. */
enum status random_fill(unsigned char *out, size_t size);

/* Random bytes in small portions, with one call to the system for many of them. For values that
 * must be unique, not for secrets: what was drawn stays in memory. */
struct random_pool {
    pthread_mutex_t lock; /* guards all below */
    size_t left;
    unsigned char bytes[256];
};

void random_pool_init(struct random_pool *pool);
void random_pool_done(struct random_pool *pool);

/* Up to 256 bytes, as random_fill. Any thread. */
enum status random_pool_draw(struct random_pool *pool, unsigned char *out, size_t size);

#endif
