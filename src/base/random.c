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

void random_pool_init(struct random_pool *pool) {
    pthread_mutex_init(&pool->lock, NULL); /* a plain mutex can't fail here */
    pool->left = 0;
}

void random_pool_done(struct random_pool *pool) {
    pthread_mutex_destroy(&pool->lock);
}

enum status random_pool_draw(struct random_pool *pool, unsigned char *out, size_t size) {
    pthread_mutex_lock(&pool->lock);
    enum status status = STATUS_OK;
    if (pool->left < size) {
        status = random_fill(pool->bytes, sizeof pool->bytes);
        pool->left = status == STATUS_OK ? sizeof pool->bytes : 0;
    }
    if (status == STATUS_OK) {
        pool->left -= size;
        memcpy(out, pool->bytes + pool->left, size);
    }
    pthread_mutex_unlock(&pool->lock);
    return status;
}
