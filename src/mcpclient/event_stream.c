#include "event_stream.h"

struct event_stream event_stream_new(size_t size_max) {
    return (struct event_stream){
        .line = buffer_new(size_max), .data = buffer_new(size_max), .is_message = true};
}

void event_stream_done(struct event_stream *stream) {
    buffer_done(&stream->line);
    buffer_done(&stream->data);
}

enum status event_stream_status(const struct event_stream *stream) {
    return stream->line.status != STATUS_OK ? stream->line.status : stream->data.status;
}

static void forget_event(struct event_stream *stream) {
    buffer_clear(&stream->data);
    stream->is_message = true;
    stream->is_given = false;
}

static void take_field(struct event_stream *stream, struct bytes line) {
    size_t colon = bytes_find(line, ':');
    struct bytes name = bytes_up_to(line, colon);
    struct bytes value = bytes_from(line, colon + 1);
    if (value.size > 0 && value.data[0] == ' ')
        value = bytes_from(value, 1);
    if (bytes_equal(name, BYTES("data"))) {
        buffer_append(&stream->data, value);
        buffer_append_byte(&stream->data, '\n');
    } else if (bytes_equal(name, BYTES("event"))) {
        stream->is_message = value.size == 0 || bytes_equal(value, BYTES("message"));
    }
}

/* Takes the line that is complete now. True when it ends a message with data: one byte of data is
 * the LF behind a lone empty line, which says nothing. */
static bool end_line(struct event_stream *stream) {
    struct bytes line = buffer_bytes(&stream->line);
    if (!stream->is_past_start && bytes_equal(bytes_up_to(line, 3), BYTES("\xEF\xBB\xBF")))
        line = bytes_from(line, 3);
    stream->is_past_start = true;
    bool ends_event = line.size == 0;
    if (!ends_event)
        take_field(stream, line);
    buffer_clear(&stream->line);
    if (!ends_event)
        return false;
    stream->is_given = stream->is_message && stream->data.size > 1;
    if (!stream->is_given)
        forget_event(stream);
    return stream->is_given;
}

/* Takes one byte. True when it ends a message with data. */
static bool take_byte(struct event_stream *stream, unsigned char byte) {
    bool is_rest_of_line_end = stream->skips_feed && byte == '\n';
    stream->skips_feed = byte == '\r';
    if (is_rest_of_line_end)
        return false;
    if (byte == '\r' || byte == '\n')
        return end_line(stream);
    buffer_append_byte(&stream->line, byte);
    return false;
}

bool event_stream_next(struct event_stream *stream, struct bytes *piece, struct bytes *data) {
    if (stream->is_given)
        forget_event(stream);
    while (piece->size > 0 && event_stream_status(stream) == STATUS_OK) {
        unsigned char byte = piece->data[0];
        *piece = bytes_from(*piece, 1);
        if (take_byte(stream, byte) && event_stream_status(stream) == STATUS_OK) {
            struct bytes lines = buffer_bytes(&stream->data);
            *data = bytes_up_to(lines, lines.size - 1);
            return true;
        }
    }
    return false;
}
