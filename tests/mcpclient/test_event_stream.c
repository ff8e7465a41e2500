/* Event streams, whole and in pieces of every size. */
#include "fixtures.h"

#include "event_stream.h"

#include <string.h>

/* Reads a text that is cut at one place, and gives each message with a '|' behind. */
static void read_cut(struct bytes text, size_t cut, struct buffer *out) {
    struct event_stream stream = event_stream_new(1024);
    const struct bytes pieces[] = {bytes_up_to(text, cut), bytes_from(text, cut)};
    for (size_t i = 0; i < 2; i++) {
        struct bytes piece = pieces[i];
        struct bytes data;
        while (event_stream_next(&stream, &piece, &data)) {
            buffer_append(out, data);
            buffer_append_byte(out, '|');
        }
        assert_int_equal(piece.size, 0);
    }
    assert_int_equal(event_stream_status(&stream), STATUS_OK);
    event_stream_done(&stream);
}

static void given_an_event_stream_when_cut_at_every_byte_then_it_reads_the_same(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *messages;
    } rows[] = {
        {"data: a\n\n", "a|"},
        {"data: a\r\n\r\ndata: b\r\n\r\n", "a|b|"},
        {"data: a\r\rdata: b\r\r", "a|b|"},
        {"data: a\r\n\rdata: b\n\r\n", "a|b|"},
        {"data:a\ndata: b\ndata:  c\n\n", "a\nb\n c|"},
        {": comment\n\n: another\ndata: a\n: and one\n\n", "a|"},
        {"data: a\n\ndata: b", "a|"},
        {"data: a\n\ndata: b\n", "a|"},
        {"id: 1\nretry: 5\n\ndata: a\n\n", "a|"},
        {"data\n\ndata:\n\ndata: a\n\n", "a|"},
        {"event: message\ndata: a\n\nevent: other\ndata: b\n\ndata: c\n\n", "a|c|"},
        {"\xEF\xBB\xBF"
         "data: a\n\n",
         "a|"},
        {"\n\n\n", ""},
        {"", ""},
        {"data: \xC3\xA9\n\n", "\xC3\xA9|"},
        {"datas: x\nxdata: y\n\ndata: a\n\n", "a|"},
        {"data: \xEF\xBB\xBF\n\n", "\xEF\xBB\xBF|"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct bytes text = bytes_of_text(rows[i].text);
        for (size_t cut = 0; cut <= text.size; cut++) {
            struct buffer out = buffer_new(SIZE_MAX);
            read_cut(text, cut, &out);
            if (!bytes_equal(buffer_bytes(&out), bytes_of_text(rows[i].messages)))
                fail_msg("row %zu cut at %zu: \"%.*s\"", i, cut, (int)out.size, out.data);
            buffer_done(&out);
        }
    }
}

static void
given_a_line_or_an_event_without_end_when_read_then_it_stops_at_the_limit(void **state) {
    (void)state;
    static const char *const pieces[] = {"data: 0123456789", "data: 0123\n"};
    for (size_t i = 0; i < LENGTH_OF(pieces); i++) {
        struct event_stream stream = event_stream_new(64);
        struct bytes data;
        size_t count = 0;
        while (event_stream_status(&stream) == STATUS_OK && count++ < 100) {
            struct bytes piece = bytes_of_text(pieces[i]);
            assert_false(event_stream_next(&stream, &piece, &data));
        }
        assert_int_equal(event_stream_status(&stream), STATUS_LIMIT);
        struct bytes more = BYTES("\n\ndata: a\n\n");
        assert_false(event_stream_next(&stream, &more, &data));
        event_stream_done(&stream);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_an_event_stream_when_cut_at_every_byte_then_it_reads_the_same),
        cmocka_unit_test(given_a_line_or_an_event_without_end_when_read_then_it_stops_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
