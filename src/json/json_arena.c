#include "json_arena.h"

#include <jansson.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

enum { CHUNK_SIZE = 4000 }; /* a usual request needs one */

struct json_chunk {
    struct json_chunk *next;
    alignas(max_align_t) unsigned char bytes[];
};

static _Thread_local struct json_arena *current;

/* Adds a chunk that has room for `size` bytes, or leaves the parse. */
static void add_chunk(struct json_arena *arena, size_t size) {
    size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    struct json_chunk *chunk = malloc(sizeof *chunk + room);
    if (chunk == NULL)
        longjmp(arena->no_memory, 1);
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->left = room;
}

static void *take(size_t size) {
    struct json_arena *arena = current;
    if (arena == NULL)
        return malloc(size);
    if (size > SIZE_MAX / 2)
        longjmp(arena->no_memory, 1);
    size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if (size > arena->left)
        add_chunk(arena, size);
    /* Taken from the end, so that no size of the chunk needs to be kept. */
    arena->left -= size;
    return arena->chunks->bytes + arena->left;
}

static void release(void *memory) {
    if (current == NULL)
        free(memory);
}

static void install(void) {
    json_set_alloc_funcs(take, release);
    json_object_seed(0);
}

void json_arena_install(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

void json_arena_use(struct json_arena *arena) {
    current = arena;
}

void json_chunks_free(struct json_chunk *chunks) {
    while (chunks != NULL) {
        struct json_chunk *next = chunks->next;
        free(chunks);
        chunks = next;
    }
}
