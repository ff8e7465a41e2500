#ifndef TANDEM_RANDOM_H
#define TANDEM_RANDOM_H

#include "status.h"

#include <stddef.h>

/* Fills `size` bytes (256 at the most) from the operating system's generator. STATUS_IO when it
 * gives none; then `out` holds nothing of use. Any thread. */
enum status random_fill(unsigned char *out, size_t size);

/* Up to 256 bytes with a share in a call to the system, which serves many: for values that must be
 * unique, not for secrets, since what was drawn stays in the thread's memory. As random_fill. */
enum status random_draw(unsigned char *out, size_t size);

#endif
