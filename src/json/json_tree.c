#include "json_tree.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

enum { CHUNK_SIZE = 4000 }; /* a usual request needs one */

struct json_chunk {
    struct json_chunk *next;
    alignas(max_align_t) unsigned char bytes[];
};

/* The memory of a parse under way. */
struct json_arena {
    struct json_chunk *chunks; /* the newest first */
    size_t left;               /* bytes, in the newest */
    jmp_buf no_memory;         /* where to go when there is no more */
};

/* What this thread's jansson calls take from; NULL: from malloc. */
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

static void free_chunks(struct json_chunk *chunks) {
    while (chunks != NULL) {
        struct json_chunk *next = chunks->next;
        free(chunks);
        chunks = next;
    }
}

/* Here alone, since what setjmp returns to must not have locals that changed. */
static enum status parse(struct bytes text, size_t flags, struct json_arena *arena, json_t **root,
                         json_error_t *error) {
    if (setjmp(arena->no_memory) != 0) {
        current = NULL;
        return STATUS_NO_MEMORY;
    }
    current = arena;
    *root = json_loadb(text.size == 0 ? "" : (const char *)text.data, text.size,
                       JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | flags, error);
    current = NULL;
    return *root == NULL ? STATUS_INVALID : STATUS_OK;
}

static enum status read_tree(struct bytes text, size_t flags, struct json_tree *out,
                             json_error_t *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    struct json_arena arena = {0};
    json_t *root = NULL;
    enum status status = parse(text, flags, &arena, &root, error);
    if (status == STATUS_OK)
        *out = (struct json_tree){root, arena.chunks};
    else
        free_chunks(arena.chunks);
    return status;
}

enum status json_tree_read(struct bytes text, struct json_tree *out, json_error_t *error) {
    return read_tree(text, 0, out, error);
}

enum status json_tree_read_with_nul(struct bytes text, struct json_tree *out, json_error_t *error) {
    return read_tree(text, JSON_ALLOW_NUL, out, error);
}

void json_tree_done(struct json_tree *tree) {
    free_chunks(tree->chunks);
    *tree = (struct json_tree){0};
}
