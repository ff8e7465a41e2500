#include "form_format.h"

#include <string.h>

enum form_format form_format_of(struct bytes name) {
    if (bytes_equal(name, BYTES("email")))
        return FORM_EMAIL;
    if (bytes_equal(name, BYTES("uri")))
        return FORM_URI;
    if (bytes_equal(name, BYTES("date")))
        return FORM_DATE;
    return bytes_equal(name, BYTES("date-time")) ? FORM_DATE_TIME : FORM_ANY;
}

const char *form_format_example(enum form_format format) {
    switch (format) {
    case FORM_ANY:
        break;
    case FORM_EMAIL:
        return "an e-mail address";
    case FORM_URI:
        return "a URI such as https://example.org/";
    case FORM_DATE:
        return "a date such as 2026-07-28";
    case FORM_DATE_TIME:
        return "a time such as 2026-07-28T10:30:00Z";
    }
    return "a text";
}

static bool is_letter(unsigned char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_digit(unsigned char byte) {
    return byte >= '0' && byte <= '9';
}

static bool is_hex_digit(unsigned char byte) {
    return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

static bool is_graphic(unsigned char byte) {
    return byte > ' ' && byte != 0x7F;
}

/* Labels of letters, digits and inner hyphens, with dots between; anything past ASCII is a letter.
 */
static bool is_host(struct bytes text) {
    unsigned char last = '.';
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = text.data[i];
        bool is_word = is_letter(byte) || is_digit(byte) || byte >= 0x80;
        if (!is_word && byte != '.' && byte != '-')
            return false;
        if ((byte == '.' && !(is_letter(last) || is_digit(last) || last >= 0x80)) ||
            (byte == '-' && last == '.'))
            return false;
        last = byte;
    }
    return last != '.' && last != '-';
}

static bool is_email(struct bytes text) {
    size_t at = bytes_find(text, '@');
    struct bytes local = bytes_up_to(text, at);
    if (at == text.size || local.size == 0 || local.data[0] == '.' ||
        local.data[local.size - 1] == '.')
        return false;
    for (size_t i = 0; i < local.size; i++)
        if (!is_graphic(local.data[i]) || strchr("()<>[]:;,\\\"", local.data[i]) != NULL)
            return false;
    return is_host(bytes_from(text, at + 1));
}

static bool is_uri(struct bytes text) {
    size_t colon = bytes_find(text, ':');
    if (colon == 0 || colon + 1 >= text.size || !is_letter(text.data[0]))
        return false;
    for (size_t i = 0; i < colon; i++)
        if (!is_letter(text.data[i]) && !is_digit(text.data[i]) &&
            strchr("+-.", text.data[i]) == NULL)
            return false;
    for (size_t i = colon + 1; i < text.size; i++) {
        unsigned char byte = text.data[i];
        if (!is_graphic(byte) || byte >= 0x80 || strchr("<>\"{}|\\^`", byte) != NULL)
            return false;
        if (byte == '%' && (i + 2 >= text.size || !is_hex_digit(text.data[i + 1]) ||
                            !is_hex_digit(text.data[i + 2])))
            return false;
    }
    return true;
}

/* The number of `size` digits at `at`; -1 when there are none such. */
static int number_at(struct bytes text, size_t at, size_t size) {
    int number = 0;
    for (size_t i = at; i < at + size; i++) {
        if (i >= text.size || !is_digit(text.data[i]))
            return -1;
        number = number * 10 + (text.data[i] - '0');
    }
    return number;
}

static bool is_byte_at(struct bytes text, size_t at, char byte) {
    return at < text.size && text.data[at] == (unsigned char)byte;
}

enum { DATE_SIZE = 10, TIME_SIZE = 8 };

static bool begins_with_date(struct bytes text) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = number_at(text, 0, 4);
    int month = number_at(text, 5, 2);
    int day = number_at(text, 8, 2);
    if (year < 0 || month < 1 || month > 12 || day < 1 || !is_byte_at(text, 4, '-') ||
        !is_byte_at(text, 7, '-'))
        return false;
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= days[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

/* Two numbers with a colon between, such as the hours and minutes of an offset. */
static bool is_clock_at(struct bytes text, size_t at) {
    int hour = number_at(text, at, 2);
    int minute = number_at(text, at + 3, 2);
    return hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && is_byte_at(text, at + 2, ':');
}

static bool is_time(struct bytes text) {
    int second = number_at(text, 6, 2);
    if (!is_clock_at(text, 0) || second < 0 || second > 60 || !is_byte_at(text, 5, ':'))
        return false;
    size_t at = TIME_SIZE;
    if (is_byte_at(text, at, '.')) {
        size_t first = ++at;
        while (at < text.size && is_digit(text.data[at]))
            at++;
        if (at == first)
            return false;
    }
    if (is_byte_at(text, at, 'Z') || is_byte_at(text, at, 'z'))
        return text.size == at + 1;
    return (is_byte_at(text, at, '+') || is_byte_at(text, at, '-')) && is_clock_at(text, at + 1) &&
           text.size == at + 6;
}

bool form_format_has(enum form_format format, struct bytes text) {
    switch (format) {
    case FORM_ANY:
        break;
    case FORM_EMAIL:
        return is_email(text);
    case FORM_URI:
        return is_uri(text);
    case FORM_DATE:
        return text.size == DATE_SIZE && begins_with_date(text);
    case FORM_DATE_TIME:
        return begins_with_date(text) &&
               (is_byte_at(text, DATE_SIZE, 'T') || is_byte_at(text, DATE_SIZE, 't')) &&
               is_time(bytes_from(text, DATE_SIZE + 1));
    }
    return true;
}
