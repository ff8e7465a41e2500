#ifndef TANDEM_RANDOM_H
#define TANDEM_RANDOM_H

#include "status.h"

#include <stddef.h>

/* Fills `size` bytes (256 at the most) from the operating system's generator. STATUS_IO when it
 * gives none; then `out` holds nothing of use. Any thread. */
enum status random_fill(unsigned char *out, size_t size);

#endif
