#include "arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_piece {
    struct arena_piece *next;
    max_align_t memory[];
};

void *arena_take(struct arena *arena, size_t size) {
    struct arena_piece *piece = calloc(1, sizeof *piece + size);
    if (piece == NULL)
        abort();
    piece->next = arena->pieces;
    arena->pieces = piece;
    return piece->memory;
}

struct bytes arena_copy(struct arena *arena, struct bytes bytes) {
    unsigned char *copy = arena_take(arena, bytes.size + 1);
    if (bytes.size > 0)
        memcpy(copy, bytes.data, bytes.size);
    return (struct bytes){copy, bytes.size};
}

char *arena_format(struct arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0)
        abort();
    char *text = arena_take(arena, (size_t)size + 1);
    vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

void arena_done(struct arena *arena) {
    while (arena->pieces != NULL) {
        struct arena_piece *next = arena->pieces->next;
        free(arena->pieces);
        arena->pieces = next;
    }
}
