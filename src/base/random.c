#include "random.h"

#include <errno.h>
#include <sys/random.h>

enum status random_fill(unsigned char *out, size_t size) {
    /* Up to 256 bytes come whole once the generator is seeded (getrandom(2)). */
    ssize_t got;
    do {
        got = getrandom(out, size, 0);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)size ? STATUS_OK : STATUS_IO;
}
