#include "hex.h"

void hex_write(struct bytes bytes, unsigned char *out) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.size; i++) {
        *out++ = (unsigned char)digits[bytes.data[i] >> 4];
        *out++ = (unsigned char)digits[bytes.data[i] & 15];
    }
}

int hex_digit_value(unsigned char digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

bool hex_parse(struct bytes digits, unsigned char *out, size_t size) {
    if (digits.size != 2 * size)
        return false;
    for (size_t i = 0; i < digits.size; i++)
        if (hex_digit_value(digits.data[i]) < 0)
            return false;
    for (size_t i = 0; i < size; i++)
        out[i] = (unsigned char)(hex_digit_value(digits.data[2 * i]) << 4 |
                                 hex_digit_value(digits.data[2 * i + 1]));
    return true;
}
