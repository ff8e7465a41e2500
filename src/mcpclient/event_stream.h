/* An event stream (text/event-stream, as the HTML standard has it), read from pieces of any size:
 * lines end with LF, CRLF or CR, comments are skipped, several `data` lines are one text, a byte
 * order mark at the start is dropped, and so is an event without its blank line. Pure. Private to
 * mcpclient. */
#ifndef TANDEM_EVENT_STREAM_H
#define TANDEM_EVENT_STREAM_H

#include "buffer.h"

struct event_stream {
    struct buffer line; /* the one that is being read */
    struct buffer data; /* of the event that is being read: each line with an LF behind */
    bool is_message;    /* it has no other type */
    bool is_past_start; /* the first line was read */
    bool skips_feed;    /* the last line ended with a CR: an LF now belongs to it */
    bool is_given;      /* the data was handed out, and the next event begins anew */
};

/* A stream of which no line and no event may be longer than `size_max` bytes. Released with
 * event_stream_done. */
struct event_stream event_stream_new(size_t size_max);
void event_stream_done(struct event_stream *stream);

/* Takes bytes off the front of `piece` up to the end of the next message with data. True when there
 * is one; then `data` is its text, which lives until the next call. False when the piece is used
 * up. Events of a type other than `message` are dropped. Whether memory or the limit ran out is in
 * event_stream_status. */
bool event_stream_next(struct event_stream *stream, struct bytes *piece, struct bytes *data);

/* STATUS_OK, STATUS_LIMIT or STATUS_NO_MEMORY; the stream can't be read on after the last two. */
enum status event_stream_status(const struct event_stream *stream);

#endif
