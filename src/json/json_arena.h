/* The memory of one parse. jansson 2.14 goes on with half a text when an allocation fails, and
 * writes where it must not, so it never gets to see one fail: the parse is left by longjmp. That
 * leaks nothing, because all that the parser took comes from chunks that are released as a whole,
 * which also is quicker than to take and release every node. Private to json. */
#ifndef TANDEM_JSON_ARENA_H
#define TANDEM_JSON_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct json_chunk;

struct json_arena {
    struct json_chunk *chunks; /* the newest first */
    size_t left;               /* bytes, in the newest */
    jmp_buf no_memory;         /* where to go when there is no more */
};

/* Has jansson take its memory from the thread's arena, where there is one. Any number of times,
 * from any thread. */
void json_arena_install(void);

/* From here on, this thread's jansson calls take from `arena`; with NULL from malloc again. */
void json_arena_use(struct json_arena *arena);

void json_chunks_free(struct json_chunk *chunks);

#endif
