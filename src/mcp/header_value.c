#include "header_value.h"

static int digit_of(unsigned char byte) {
    struct bytes digits = BYTES("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    size_t at = bytes_find(digits, byte);
    return at == digits.size ? -1 : (int)at;
}

/* True when base64 text, whose one form has padding and no bits left over, is of `expected`: each
 * group of four characters of the next three bytes. */
static bool is_base64_of(struct bytes text, struct bytes expected) {
    if (text.size != (expected.size + 2) / 3 * 4)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        size_t bit = i * 6;
        size_t byte = bit / 8;
        unsigned window = 0; /* the sixteen bits from that byte on */
        if (byte < expected.size)
            window |= (unsigned)expected.data[byte] << 8;
        if (byte + 1 < expected.size)
            window |= expected.data[byte + 1];
        bool is_padding = bit >= expected.size * 8;
        if (is_padding ? text.data[i] != '='
                       : digit_of(text.data[i]) != (int)(window >> (10 - bit % 8) & 63))
            return false;
    }
    return true;
}

bool header_value_is(struct bytes value, struct bytes expected) {
    struct bytes start = BYTES("=?base64?");
    struct bytes end = BYTES("?=");
    if (value.size < start.size + end.size || !bytes_equal(bytes_up_to(value, start.size), start) ||
        !bytes_equal(bytes_from(value, value.size - end.size), end))
        return bytes_equal(value, expected);
    struct bytes text = bytes_from(value, start.size);
    return is_base64_of(bytes_up_to(text, text.size - end.size), expected);
}
