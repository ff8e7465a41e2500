#include "json_text.h"

#include "hex.h"

/* What follows the backslash for bytes that have a short escape, 'u' for those that are written as
 * \u00xx, and 0 for bytes that stand for themselves. */
static const unsigned char escapes[256] = {
    'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u',         't',           'n', 'u',
    'u', 'r', 'u', 'u', 'u', 'u', 'u', 'u', 'u',         'u',           'u', 'u',
    'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', ['"'] = '"', ['\\'] = '\\',
};

static void write_escape(struct buffer *out, unsigned char byte) {
    buffer_append_byte(out, '\\');
    buffer_append_byte(out, escapes[byte]);
    if (escapes[byte] != 'u')
        return;
    buffer_append(out, BYTES("00"));
    unsigned char *digits = buffer_extend(out, 2);
    if (digits != NULL)
        hex_write((struct bytes){&byte, 1}, digits);
}

void json_write_characters(struct buffer *out, struct bytes text) {
    size_t plain = 0; /* where the run of unescaped bytes begins */
    for (size_t i = 0; i < text.size; i++) {
        if (escapes[text.data[i]] == 0)
            continue;
        buffer_append(out, (struct bytes){text.data + plain, i - plain});
        write_escape(out, text.data[i]);
        plain = i + 1;
    }
    buffer_append(out, bytes_from(text, plain));
}

void json_write_string(struct buffer *out, struct bytes text) {
    buffer_append_byte(out, '"');
    json_write_characters(out, text);
    buffer_append_byte(out, '"');
}

void json_write_strings(struct buffer *out, const struct bytes *texts, size_t count) {
    buffer_append_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        json_write_string(out, texts[i]);
    }
    buffer_append_byte(out, ']');
}

/* The share of one byte of UTF-8: an escape of 6 bytes for each character up to U+FFFF, two of them
 * past that, counted on the character's first byte. */
static size_t escaped_size_most(unsigned char byte) {
    enum { ESCAPE = 6 };
    if (byte < 0x80)
        return escapes[byte] == 0 && byte != 0x7F && byte != '/' && byte != '<' && byte != '>' &&
                       byte != '&' && byte != '\''
                   ? 1
                   : ESCAPE;
    if (byte < 0xC0)
        return 0;
    return byte < 0xF0 ? ESCAPE : 2 * ESCAPE;
}

size_t json_string_size_most(struct bytes text) {
    size_t size = 2;
    for (size_t i = 0; i < text.size; i++)
        size += escaped_size_most(text.data[i]);
    return size;
}

size_t json_nesting_depth(struct bytes text) {
    size_t depth = 0;
    size_t deepest = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = text.data[i];
        if (in_string) {
            if (byte == '\\')
                i++;
            else if (byte == '"')
                in_string = false;
        } else if (byte == '"') {
            in_string = true;
        } else if (byte == '{' || byte == '[') {
            if (++depth > deepest)
                deepest = depth;
        } else if ((byte == '}' || byte == ']') && depth > 0) {
            depth--;
        }
    }
    return deepest;
}
