/* Any bytes as an event stream, whole and in two pieces: the same messages come out. */
#include "event_stream.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition)
        abort();
}

static void read_piece(struct event_stream *stream, struct bytes piece, struct buffer *out) {
    struct bytes data;
    while (event_stream_next(stream, &piece, &data)) {
        require(data.size > 0);
        buffer_append(out, data);
        buffer_append_byte(out, '|');
    }
    require(piece.size == 0);
}

static void read_cut(struct bytes text, size_t cut, struct buffer *out) {
    struct event_stream stream = event_stream_new(SIZE_MAX);
    read_piece(&stream, bytes_up_to(text, cut), out);
    read_piece(&stream, bytes_from(text, cut), out);
    require(event_stream_status(&stream) == STATUS_OK);
    event_stream_done(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes text = {data, size};
    struct buffer whole = buffer_new(SIZE_MAX);
    read_cut(text, size, &whole);
    for (size_t cut = 0; cut < size && cut < 64; cut++) {
        struct buffer cut_once = buffer_new(SIZE_MAX);
        read_cut(text, cut, &cut_once);
        require(bytes_equal(buffer_bytes(&whole), buffer_bytes(&cut_once)));
        buffer_done(&cut_once);
    }
    buffer_done(&whole);
    return 0;
}
