/* A moment by which something must have happened, so that no test waits for ever. */
#ifndef TANDEM_TEST_DEADLINE_H
#define TANDEM_TEST_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* How long a test waits for what must happen, in milliseconds: far longer than it takes, also on a
 * busy machine under a sanitizer. */
enum { PATIENCE = 60000 };

struct deadline {
    int64_t at; /* monotonic milliseconds */
};

struct deadline deadline_in(int milliseconds);

/* The milliseconds that are left, as poll() takes them; 0 once it is past. */
int deadline_left(struct deadline deadline);

/* Waits until `descriptor` can be read (or is closed by its peer); false once it is too late. */
bool deadline_wait_readable(struct deadline deadline, int descriptor);

/* The same for writing. */
bool deadline_wait_writable(struct deadline deadline, int descriptor);

#endif
