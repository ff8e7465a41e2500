#include "bookings_output.h"

#include "dates.h"
#include "json_text.h"
#include "visible_text.h"

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

static size_t count_characters(struct bytes text) {
    size_t count = 0;
    for (; text.size > 0; count++)
        visible_take_character(&text);
    return count;
}

/* Appends the text, escaped, and spaces up to `width` characters, two at least unless it is 0. */
static void write_cell(struct buffer *out, struct bytes text, size_t width) {
    size_t begun = out->size;
    visible_text_write(out, text);
    size_t taken = count_characters(bytes_from(buffer_bytes(out), begun));
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
    while (text.size > 0 && is_blank(point))
        point = visible_take_character(&text);
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
