#include "visible_text.h"

#include "hex.h"
#include "json_text.h"

enum { SEQUENCE_MOST = 4 };

/* The length of the UTF-8 sequence that `text` (not empty) begins with, or 0. */
static size_t sequence_length(struct bytes text) {
    for (size_t length = 1; length <= SEQUENCE_MOST && length <= text.size; length++)
        if (bytes_are_utf8(bytes_up_to(text, length)))
            return length;
    return 0;
}

static uint32_t code_point(struct bytes sequence) {
    static const unsigned char first_bits[SEQUENCE_MOST + 1] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t value = sequence.data[0] & first_bits[sequence.size];
    for (size_t i = 1; i < sequence.size; i++)
        value = value << 6 | (sequence.data[i] & 0x3F);
    return value;
}

static bool is_unsafe(uint32_t point) {
    return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x61C ||
           (point >= 0x200E && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E) ||
           (point >= 0x2066 && point <= 0x206F) || point == 0xFEFF ||
           (point >= 0xFFF9 && point <= 0xFFFB);
}

/* Takes the next character off `text`, one byte where it is no UTF-8. */
static struct bytes take_character(struct bytes *text) {
    size_t length = sequence_length(*text);
    struct bytes character = bytes_up_to(*text, length == 0 ? 1 : length);
    *text = bytes_from(*text, character.size);
    return character;
}

uint32_t visible_take_character(struct bytes *text) {
    struct bytes character = take_character(text);
    return character.size == 1 ? character.data[0] : code_point(character);
}

static void write_hex(struct buffer *out, struct bytes bytes) {
    unsigned char *digits = buffer_extend(out, 2 * bytes.size);
    if (digits != NULL)
        hex_write(bytes, digits);
}

/* Every unsafe character is below U+10000. */
static void write_unicode_escape(struct buffer *out, uint32_t point) {
    const unsigned char two[] = {(unsigned char)(point >> 8), (unsigned char)point};
    buffer_append(out, BYTES("\\u"));
    write_hex(out, (struct bytes){two, sizeof two});
}

static void write_escape(struct buffer *out, uint32_t point) {
    if (point == '\n')
        buffer_append(out, BYTES("\\n"));
    else if (point == '\r')
        buffer_append(out, BYTES("\\r"));
    else if (point == '\t')
        buffer_append(out, BYTES("\\t"));
    else
        write_unicode_escape(out, point);
}

void visible_text_write(struct buffer *out, struct bytes text) {
    while (text.size > 0) {
        size_t length = sequence_length(text);
        struct bytes sequence = bytes_up_to(text, length == 0 ? 1 : length);
        if (length == 0) {
            buffer_append(out, BYTES("\\x"));
            write_hex(out, sequence);
        } else if (is_unsafe(code_point(sequence))) {
            write_escape(out, code_point(sequence));
        } else {
            buffer_append(out, sequence);
        }
        text = bytes_from(text, sequence.size);
    }
}

static bool is_unsafe_past_ascii(struct bytes character) {
    return character.data[0] == 0x7F || (character.size > 1 && is_unsafe(code_point(character)));
}

void visible_json_write(struct buffer *out, struct bytes text) {
    buffer_append_byte(out, '"');
    while (text.size > 0) {
        struct bytes character = take_character(&text);
        if (is_unsafe_past_ascii(character))
            write_unicode_escape(out, code_point(character));
        else if (bytes_are_utf8(character))
            json_write_characters(out, character);
    }
    buffer_append_byte(out, '"');
}

void visible_json_text_write(struct buffer *out, struct bytes json) {
    while (json.size > 0) {
        struct bytes character = take_character(&json);
        if (is_unsafe_past_ascii(character))
            write_unicode_escape(out, code_point(character));
        else
            buffer_append(out, character);
    }
}

void visible_lines_write(struct buffer *out, struct bytes text, const char *indent) {
    for (bool is_first = true; is_first || text.size > 0; is_first = false) {
        size_t size = bytes_find(text, '\n');
        struct bytes line = bytes_up_to(text, size);
        if (line.size > 0 && line.data[line.size - 1] == '\r')
            line.size--;
        if (!is_first) {
            buffer_append_byte(out, '\n');
            buffer_append_text(out, indent);
        }
        visible_text_write(out, line);
        text = bytes_from(text, size + 1);
    }
}
