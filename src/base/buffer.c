#include "buffer.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 256 };

struct buffer buffer_new(size_t ceiling) {
    return (struct buffer){.ceiling = ceiling, .status = STATUS_OK};
}

void buffer_done(struct buffer *buffer) {
    free(buffer->data);
    *buffer = buffer_new(buffer->ceiling);
}

void buffer_clear(struct buffer *buffer) {
    buffer->size = 0;
    buffer->status = STATUS_OK;
}

void buffer_done_secret(struct buffer *buffer) {
    if (buffer->data != NULL)
        explicit_bzero(buffer->data, buffer->capacity);
    buffer_done(buffer);
}

static enum status grow(struct buffer *buffer, size_t needed) {
    size_t capacity = buffer->capacity == 0 ? CAPACITY_FIRST : buffer->capacity;
    while (capacity < needed)
        capacity = capacity > buffer->ceiling / 2 ? buffer->ceiling : capacity * 2;
    /* Not realloc: it may leave a copy of a secret behind. */
    unsigned char *data = malloc(capacity);
    if (data == NULL)
        return STATUS_NO_MEMORY;
    if (buffer->size > 0)
        memcpy(data, buffer->data, buffer->size);
    if (buffer->data != NULL)
        explicit_bzero(buffer->data, buffer->capacity);
    free(buffer->data);
    buffer->data = data;
    buffer->capacity = capacity;
    return STATUS_OK;
}

unsigned char *buffer_extend(struct buffer *buffer, size_t more) {
    if (buffer->status != STATUS_OK)
        return NULL;
    if (more > buffer->ceiling - buffer->size) {
        buffer->status = STATUS_LIMIT;
        return NULL;
    }
    if (more > buffer->capacity - buffer->size)
        buffer->status = grow(buffer, buffer->size + more);
    if (buffer->status != STATUS_OK)
        return NULL;
    unsigned char *room = buffer->data + buffer->size;
    buffer->size += more;
    return room;
}

void buffer_append(struct buffer *buffer, struct bytes bytes) {
    if (bytes.size == 0)
        return;
    unsigned char *room = buffer_extend(buffer, bytes.size);
    if (room != NULL)
        memcpy(room, bytes.data, bytes.size);
}

void buffer_append_byte(struct buffer *buffer, unsigned char byte) {
    unsigned char *room = buffer_extend(buffer, 1);
    if (room != NULL)
        *room = byte;
}

void buffer_append_text(struct buffer *buffer, const char *text) {
    buffer_append(buffer, bytes_of_text(text));
}

void buffer_append_integer(struct buffer *buffer, int64_t value) {
    unsigned char digits[20];
    size_t start = sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do {
        digits[--start] = (unsigned char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        digits[--start] = '-';
    buffer_append(buffer, (struct bytes){digits + start, sizeof digits - start});
}

struct bytes buffer_bytes(const struct buffer *buffer) {
    return (struct bytes){buffer->data, buffer->size};
}

unsigned char *buffer_take(struct buffer *buffer) {
    unsigned char *data = buffer->data;
    *buffer = buffer_new(buffer->ceiling);
    return data;
}
