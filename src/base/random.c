#include "random.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

enum status random_fill(unsigned char *out, size_t size) {
    /* Up to 256 bytes come whole once the generator is seeded (getrandom(2)). */
    ssize_t got;
    do {
        got = getrandom(out, size, 0);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)size ? STATUS_OK : STATUS_IO;
}

enum status random_draw(unsigned char *out, size_t size) {
    static _Thread_local struct {
        size_t left;
        unsigned char bytes[256];
    } pool;
    if (pool.left < size) {
        enum status status = random_fill(pool.bytes, sizeof pool.bytes);
        if (status != STATUS_OK)
            return status;
        pool.left = sizeof pool.bytes;
    }
    pool.left -= size;
    memcpy(out, pool.bytes + pool.left, size);
    return STATUS_OK;
}
