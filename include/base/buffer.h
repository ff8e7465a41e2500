/* A growing buffer with a ceiling. Appending never fails half-way: the first append that cannot be
 * done marks the buffer failed, later ones do nothing, and the writer asks once, at the end. */
#ifndef TANDEM_BUFFER_H
#define TANDEM_BUFFER_H

#include "bytes.h"
#include "status.h"

#include <stdint.h>

struct buffer {
    unsigned char *data; /* owned; NULL until something is appended */
    size_t size;
    size_t capacity;
    size_t ceiling; /* the largest size in bytes */
    enum status status;
};

/* An empty buffer that may grow to `ceiling` bytes. */
struct buffer buffer_new(size_t ceiling);

/* Releases what the buffer holds and leaves it empty. */
void buffer_done(struct buffer *buffer);

/* Empties the buffer and keeps its memory. */
void buffer_clear(struct buffer *buffer);

/* As buffer_done, but wipes the bytes first: for keys. */
void buffer_done_secret(struct buffer *buffer);

/* Room for `more` bytes, or NULL when the buffer failed. The caller fills all of them. */
unsigned char *buffer_extend(struct buffer *buffer, size_t more);

void buffer_append(struct buffer *buffer, struct bytes bytes);
void buffer_append_byte(struct buffer *buffer, unsigned char byte);
void buffer_append_text(struct buffer *buffer, const char *text);
void buffer_append_integer(struct buffer *buffer, int64_t value);

/* What was written so far; valid until the next append. */
struct bytes buffer_bytes(const struct buffer *buffer);

/* Gives the memory away: the caller releases it with free(). NULL when nothing was appended. */
unsigned char *buffer_take(struct buffer *buffer);

#endif
