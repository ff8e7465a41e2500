/* Memory that lives as long as one scenario: handed out piece by piece, released all at once, so
 * that a scenario reads as what happens and not as who frees what. One thread at a time. */
#ifndef TANDEM_TEST_ARENA_H
#define TANDEM_TEST_ARENA_H

#include "bytes.h"

struct arena_piece;

/* Starts as {0}. */
struct arena {
    struct arena_piece *pieces;
};

/* Zeroed memory; ends the program when there is none. */
void *arena_take(struct arena *arena, size_t size);

/* A copy, followed by a NUL that its size doesn't count. */
struct bytes arena_copy(struct arena *arena, struct bytes bytes);

/* As sprintf. */
__attribute__((format(printf, 2, 3))) char *arena_format(struct arena *arena, const char *format,
                                                         ...);

void arena_done(struct arena *arena);

#endif
