#include "bytes.h"

#include <string.h>

struct bytes bytes_of_text(const char *text) {
    return (struct bytes){(const unsigned char *)text, strlen(text)};
}

bool bytes_equal(struct bytes left, struct bytes right) {
    return left.size == right.size &&
           (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}

static unsigned char lower(unsigned char byte) {
    return byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte - 'A' + 'a') : byte;
}

bool bytes_equal_ignoring_case(struct bytes left, struct bytes right) {
    if (left.size != right.size)
        return false;
    for (size_t i = 0; i < left.size; i++)
        if (lower(left.data[i]) != lower(right.data[i]))
            return false;
    return true;
}

struct bytes bytes_from(struct bytes whole, size_t start) {
    if (start >= whole.size)
        return (struct bytes){NULL, 0};
    return (struct bytes){whole.data + start, whole.size - start};
}

struct bytes bytes_up_to(struct bytes whole, size_t size) {
    return (struct bytes){whole.data, size < whole.size ? size : whole.size};
}

size_t bytes_find(struct bytes whole, unsigned char byte) {
    const unsigned char *found = whole.size == 0 ? NULL : memchr(whole.data, byte, whole.size);
    return found == NULL ? whole.size : (size_t)(found - whole.data);
}

static bool is_blank(unsigned char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

struct bytes bytes_trimmed(struct bytes text) {
    while (text.size > 0 && is_blank(text.data[0]))
        text = bytes_from(text, 1);
    while (text.size > 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* The length of the well-formed sequence at the start of `text` (which is not empty), or 0. The
 * bounds of the second byte are RFC 3629's: they leave out overlong forms, surrogates and what is
 * past U+10FFFF. */
static size_t utf8_sequence(struct bytes text) {
    unsigned char first = text.data[0];
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (text.size < length)
        return 0;
    unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (text.data[1] < low || text.data[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((text.data[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

bool bytes_are_utf8(struct bytes text) {
    while (text.size > 0) {
        size_t length = utf8_sequence(text);
        if (length == 0)
            return false;
        text = bytes_from(text, length);
    }
    return true;
}
