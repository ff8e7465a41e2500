/* The chunked coding, byte by byte and in one piece. */
#include "fixtures.h"

#include "chunks.h"

struct row {
    const char *name;
    const char *coded;
    const char *data;
    enum chunks_state state;
};

static const struct row rows[] = {
    {"one chunk", "5\r\nhello\r\n0\r\n\r\n", "hello", CHUNKS_DONE},
    {"several", "3\r\nhel\r\n00002\r\nlo\r\n0\r\n\r\n", "hello", CHUNKS_DONE},
    {"hex in both cases", "a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n",
     "01234567890123456789a", CHUNKS_DONE},
    {"none", "0\r\n\r\n", "", CHUNKS_DONE},
    {"an extension", "5;x=\"y\"\r\nhello\r\n0 ; z\r\n\r\n", "hello", CHUNKS_DONE},
    {"trailers", "5\r\nhello\r\n0\r\nA: b\r\nC: d\r\n\r\n", "hello", CHUNKS_DONE},
    {"more behind the end", "5\r\nhello\r\n0\r\n\r\n5\r\nworld\r\n", "hello", CHUNKS_DONE},
    {"data with line ends", "4\r\n\r\n0\r\r\n0\r\n\r\n", "\r\n0\r", CHUNKS_DONE},
    {"nothing", "", "", CHUNKS_SIZE},
    {"no last line end", "5\r\nhello\r\n0\r\n\r", "hello", CHUNKS_TRAILER},
    {"no blank line", "5\r\nhello\r\n0\r\nA: b\r\n", "hello", CHUNKS_TRAILER},
    {"no last chunk", "5\r\nhello\r\n", "hello", CHUNKS_SIZE},
    {"cut in the data", "5\r\nhel", "hel", CHUNKS_DATA},
    {"no size", "\r\nhello\r\n", "", CHUNKS_BROKEN},
    {"no hex", "x\r\nhello\r\n", "", CHUNKS_BROKEN},
    {"junk behind the size", "5x\r\nhello\r\n", "", CHUNKS_BROKEN},
    {"a sign", "+5\r\nhello\r\n", "", CHUNKS_BROKEN},
    {"a size of nine digits", "000000005\r\nhello\r\n", "", CHUNKS_BROKEN},
    {"data longer than its size", "4\r\nhello\r\n0\r\n\r\n", "hell", CHUNKS_BROKEN},
};

static void check_row(const struct row *row, size_t piece_size) {
    struct chunks chunks = {.state = CHUNKS_SIZE};
    struct buffer data = buffer_new(1000);
    for (struct bytes rest = bytes_of_text(row->coded); rest.size > 0;
         rest = bytes_from(rest, piece_size))
        chunks_read(&chunks, bytes_up_to(rest, piece_size), &data);
    if (chunks.state != row->state || !bytes_equal(buffer_bytes(&data), bytes_of_text(row->data)))
        fail_msg("%s in pieces of %zu: state %d", row->name, piece_size, (int)chunks.state);
    buffer_done(&data);
}

static void given_a_chunked_body_when_read_in_any_pieces_then_its_data_come_out(void **state) {
    (void)state;
    static const size_t piece_sizes[] = {1, 2, 3, 7, 1000};
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        for (size_t j = 0; j < LENGTH_OF(piece_sizes); j++)
            check_row(&rows[i], piece_sizes[j]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_chunked_body_when_read_in_any_pieces_then_its_data_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
