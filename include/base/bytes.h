/* Borrowed bytes: a pointer and a length. They may hold NUL and need not be UTF-8. */
#ifndef TANDEM_BYTES_H
#define TANDEM_BYTES_H

#include <stdbool.h>
#include <stddef.h>

struct bytes {
    const unsigned char *data; /* may be NULL when size is 0 */
    size_t size;
};

/* The bytes of a string literal, without its final NUL. */
#define BYTES(literal) ((struct bytes){(const unsigned char *)("" literal), sizeof("" literal) - 1})

/* The bytes of a NUL-terminated text (argv, the environment, a table of ours), without the NUL. */
struct bytes bytes_of_text(const char *text);

bool bytes_equal(struct bytes left, struct bytes right);

/* Equal but for the case of ASCII letters. */
bool bytes_equal_ignoring_case(struct bytes left, struct bytes right);

/* The part from `start` on; empty when `start` is past the end. */
struct bytes bytes_from(struct bytes whole, size_t start);

/* The first `size` bytes, or all of them when there are fewer. */
struct bytes bytes_up_to(struct bytes whole, size_t size);

/* The index of the first `byte`, or `whole.size` when there is none. */
size_t bytes_find(struct bytes whole, unsigned char byte);

/* Without the spaces, tabs and line ends around it. */
struct bytes bytes_trimmed(struct bytes text);

/* True when the bytes are well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms). */
bool bytes_are_utf8(struct bytes text);

#endif
