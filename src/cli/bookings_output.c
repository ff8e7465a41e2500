#include "bookings_output.h"

#include "dates.h"
#include "json_text.h"

#include <stdio.h>
#include <string.h>

bool bookings_format_parse(const char *text, enum bookings_format *format) {
    static const char *const names[] = {"table", "json", "csv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) != 0)
            continue;
        *format = (enum bookings_format)i;
        return true;
    }
    return false;
}

const char *booking_status_name(enum booking_status status) {
    return status == BOOKING_CANCELLED ? "cancelled" : "booked";
}

/* The code point at the start of `text`, which is not empty, and its size in bytes. A byte that is
 * no UTF-8 stands for itself. */
static uint32_t code_point(struct bytes text, size_t *size) {
    unsigned char first = text.data[0];
    size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    *size = 1;
    if (length == 1 || !bytes_are_utf8(bytes_up_to(text, length)))
        return first;
    uint32_t value = first & (0x7FU >> length);
    for (size_t i = 1; i < length; i++)
        value = value << 6 | (text.data[i] & 0x3FU);
    *size = length;
    return value;
}

/* What could move a terminal's cursor, end a line, turn the direction of what follows, or be there
 * unseen. */
static bool is_control(uint32_t point) {
    return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x061C || point == 0x200E ||
           point == 0x200F || (point >= 0x2028 && point <= 0x202E) ||
           (point >= 0x2066 && point <= 0x206F) || point == 0xFEFF ||
           (point >= 0xFFF9 && point <= 0xFFFB);
}

static void write_escape(struct buffer *out, uint32_t point) {
    char text[16];
    snprintf(text, sizeof text, point < 0x100 ? "\\x%02x" : "\\u%04x", point);
    buffer_append_text(out, point == '\n'   ? "\\n"
                            : point == '\r' ? "\\r"
                            : point == '\t' ? "\\t"
                                            : text);
}

/* Appends the text, escaped, and spaces up to `width` characters, two at least unless it is 0. */
static void write_cell(struct buffer *out, struct bytes text, size_t width) {
    size_t begun = out->size;
    size_t hidden = 0; /* bytes that don't take a column */
    while (text.size > 0) {
        size_t size;
        uint32_t point = code_point(text, &size);
        if (point == '\\')
            buffer_append(out, BYTES("\\\\"));
        else if (is_control(point))
            write_escape(out, point);
        else
            buffer_append(out, bytes_up_to(text, size));
        hidden += is_control(point) ? 0 : size - 1;
        text = bytes_from(text, size);
    }
    size_t taken = out->size - begun - hidden;
    for (size_t i = 0; width > 0 && (i < 2 || taken + i < width); i++)
        buffer_append_byte(out, ' ');
}

enum { ID_WIDTH = 8, MOMENT_WIDTH = 22, STATUS_WIDTH = 11, SALON_WIDTH = 20, SLOT_WIDTH = 22 };

static void write_table_row(struct buffer *out, const struct bytes cells[6]) {
    static const size_t widths[6] = {ID_WIDTH,    MOMENT_WIDTH, STATUS_WIDTH,
                                     SALON_WIDTH, SLOT_WIDTH,   0};
    for (size_t i = 0; i < 6; i++)
        write_cell(out, cells[i], widths[i]);
    buffer_append_byte(out, '\n');
}

static void write_table(struct buffer *out, const struct booking_record *record) {
    struct buffer id = buffer_new(32);
    struct buffer moment = buffer_new(64);
    buffer_append_integer(&id, record->id);
    moment_write(&moment, record->completed_at);
    write_table_row(
        out, (const struct bytes[6]){buffer_bytes(&id), buffer_bytes(&moment),
                                     bytes_of_text(booking_status_name(record->status)),
                                     record->salon, record->slot,
                                     record->has_words ? record->words : BYTES("(forgotten)")});
    buffer_done(&id);
    buffer_done(&moment);
}

static void write_json(struct buffer *out, size_t index, const struct booking_record *record) {
    buffer_append_text(out, index == 0 ? "\n" : ",\n");
    buffer_append(out, BYTES("{\"id\":"));
    buffer_append_integer(out, record->id);
    buffer_append(out, BYTES(",\"salon\":"));
    json_write_string(out, record->salon);
    buffer_append(out, BYTES(",\"slot\":"));
    json_write_string(out, record->slot);
    buffer_append(out, BYTES(",\"status\":"));
    json_write_string(out, bytes_of_text(booking_status_name(record->status)));
    buffer_append(out, BYTES(",\"words\":"));
    if (record->has_words)
        json_write_string(out, record->words);
    else
        buffer_append(out, BYTES("null"));
    buffer_append(out, BYTES(",\"completedAt\":\""));
    moment_write(out, record->completed_at);
    buffer_append(out, BYTES("\"}"));
}

/* Spaces of every kind, and what is put before a text to say how it is written. */
static bool is_blank(uint32_t point) {
    return point == ' ' || point == 0xA0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200B) || point == 0x202F || point == 0x205F ||
           point == 0x3000 || point == 0xFEFF;
}

/* Spreadsheets take a cell for a formula by its first character, some by the first that is no
 * space, and some also by full-width forms of these. */
static bool would_run(struct bytes text) {
    uint32_t point = ' ';
    size_t size = 0;
    while (text.size > 0 && is_blank(point)) {
        point = code_point(text, &size);
        text = bytes_from(text, size);
    }
    return point == '=' || point == '+' || point == '-' || point == '@' || point == '\t' ||
           point == '\r' || point == '\n' || point == 0xFF1D || point == 0xFF0B ||
           point == 0xFF0D || point == 0xFF20;
}

/* A cell of RFC 4180, always in quotes. */
static void write_csv_cell(struct buffer *out, struct bytes text) {
    buffer_append_text(out, would_run(text) ? "\"'" : "\"");
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"')
            buffer_append_byte(out, '"');
        buffer_append_byte(out, text.data[i]);
    }
    buffer_append_byte(out, '"');
}

static void write_csv(struct buffer *out, const struct booking_record *record) {
    buffer_append_integer(out, record->id);
    buffer_append_byte(out, ',');
    write_csv_cell(out, record->salon);
    buffer_append_byte(out, ',');
    write_csv_cell(out, record->slot);
    buffer_append_byte(out, ',');
    buffer_append_text(out, booking_status_name(record->status));
    buffer_append_byte(out, ',');
    write_csv_cell(out, record->has_words ? record->words : BYTES(""));
    buffer_append_byte(out, ',');
    moment_write(out, record->completed_at);
    buffer_append(out, BYTES("\r\n"));
}

void bookings_write_head(struct buffer *out, enum bookings_format format) {
    switch (format) {
    case FORMAT_TABLE:
        return write_table_row(out, (const struct bytes[6]){BYTES("ID"), BYTES("COMPLETED"),
                                                            BYTES("STATUS"), BYTES("SALON"),
                                                            BYTES("SLOT"), BYTES("WORDS")});
    case FORMAT_JSON:
        return buffer_append_byte(out, '[');
    case FORMAT_CSV:
        break;
    }
    buffer_append(out, BYTES("id,salon,slot,status,words,completedAt\r\n"));
}

void bookings_write_row(struct buffer *out, enum bookings_format format, size_t index,
                        const struct booking_record *record) {
    switch (format) {
    case FORMAT_TABLE:
        return write_table(out, record);
    case FORMAT_JSON:
        return write_json(out, index, record);
    case FORMAT_CSV:
        break;
    }
    write_csv(out, record);
}

void bookings_write_end(struct buffer *out, enum bookings_format format, size_t count) {
    if (format == FORMAT_JSON)
        buffer_append_text(out, count == 0 ? "]\n" : "\n]\n");
}
