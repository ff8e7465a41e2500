#include "mcp_session.h"

#include "json_text.h"

#include <stdint.h>

enum { KEPT_SIZE = 12, NAME_SIZE_MAX = 64 };

/* The end of the string that begins at `at` with its quote: the place behind the other quote, or
 * the text's end. */
static size_t string_end(struct bytes text, size_t at) {
    for (size_t i = at + 1; i < text.size; i++) {
        if (text.data[i] == '\\')
            i++;
        else if (text.data[i] == '"')
            return i + 1;
    }
    return text.size;
}

static int hex_value(unsigned char digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    digit |= 0x20;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* The byte at `at` inside a string, an escape for an ASCII character resolved; moves on behind it.
 */
static unsigned char read_byte(struct bytes text, size_t *at) {
    unsigned char byte = text.data[(*at)++];
    if (byte != '\\' || *at + 4 >= text.size || text.data[*at] != 'u')
        return byte;
    int high = hex_value(text.data[*at + 3]);
    int low = hex_value(text.data[*at + 4]);
    bool is_ascii = text.data[*at + 1] == '0' && text.data[*at + 2] == '0' && high >= 0 && low >= 0;
    if (!is_ascii)
        return byte;
    *at += 5;
    return (unsigned char)(high * 16 + low);
}

/* True when the string from `at` to `end`, quotes included, is this name. */
static bool is_name(struct bytes text, size_t at, size_t end, struct bytes name) {
    size_t i = at + 1;
    size_t matched = 0;
    while (i + 1 < end && matched < name.size && read_byte(text, &i) == name.data[matched])
        matched++;
    return matched == name.size && i + 1 == end;
}

static size_t skip_blanks(struct bytes text, size_t at) {
    while (at < text.size && (text.data[at] == ' ' || text.data[at] == '\t' ||
                              text.data[at] == '\n' || text.data[at] == '\r'))
        at++;
    return at;
}

/* Where the string begins that is the value of the name which ends at `end`; 0 when it isn't a name
 * with such a value. */
static size_t value_of_name(struct bytes text, size_t end) {
    size_t at = skip_blanks(text, end);
    if (at >= text.size || text.data[at] != ':')
        return 0;
    at = skip_blanks(text, at + 1);
    return at < text.size && text.data[at] == '"' ? at : 0;
}

/* Appends the beginning of the string from `at` to `end` and its size; a short one stays as it is.
 */
static void write_shortened(struct buffer *out, struct bytes text, size_t at, size_t end) {
    struct bytes string = bytes_up_to(bytes_from(text, at), end - at);
    if (string.size <= 4 * KEPT_SIZE) {
        buffer_append(out, string);
        return;
    }
    size_t kept = 1;
    while (kept < KEPT_SIZE && string.data[kept] != '\\' && string.data[kept] < 0x80)
        kept++;
    buffer_append(out, bytes_up_to(string, kept));
    buffer_append(out, BYTES("\xE2\x80\xA6 ("));
    buffer_append_integer(out, (int64_t)string.size - 2);
    buffer_append(out, BYTES(" bytes)\""));
}

void session_shorten_states(struct buffer *out, struct bytes message) {
    size_t written = 0;
    for (size_t at = bytes_find(message, '"'); at < message.size;) {
        size_t end = string_end(message, at);
        size_t value =
            is_name(message, at, end, BYTES("requestState")) ? value_of_name(message, end) : 0;
        if (value != 0) {
            buffer_append(out, bytes_up_to(bytes_from(message, written), value - written));
            end = string_end(message, value);
            write_shortened(out, message, value, end);
            written = end;
        }
        at = end + bytes_find(bytes_from(message, end), '"');
    }
    buffer_append(out, bytes_from(message, written));
}
