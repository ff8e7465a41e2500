/* The log's own thread: every line comes out whole and in order, and lost ones are counted. */
#include "log_writer.h"

#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MILLISECONDS = 60000, TEXT_SIZE = 65536, LINES = 200 };

static void write_note(struct buffer *out, uint64_t lost) {
    buffer_append(out, BYTES("lost "));
    buffer_append_integer(out, (int64_t)lost);
    buffer_append_byte(out, '\n');
}

/* A pipe whose reading end waits and whose writing end doesn't, and a writer on it. */
struct stage {
    int reading;
    int writing;
    struct log_writer *writer;
};

static void set_up(struct stage *stage) {
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    *stage = (struct stage){ends[0], ends[1], NULL};
    assert_int_equal(log_writer_new(stage->writing, write_note, &stage->writer), STATUS_OK);
}

static void tear_down(struct stage *stage) {
    close(stage->reading);
    close(stage->writing);
}

/* Reads until `end` has come, as the last of all. */
static size_t read_until(const struct stage *stage, char text[TEXT_SIZE], const char *end) {
    size_t size = 0;
    for (;;) {
        struct pollfd wait = {.fd = stage->reading, .events = POLLIN};
        assert_int_equal(poll(&wait, 1, PATIENCE_MILLISECONDS), 1);
        ssize_t got = read(stage->reading, text + size, TEXT_SIZE - 1 - size);
        assert_true(got > 0);
        size += (size_t)got;
        text[size] = '\0';
        if (size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0)
            return size;
    }
}

static void given_many_lines_when_appended_then_all_come_out_in_order(void **state) {
    (void)state;
    struct stage stage;
    set_up(&stage);
    static char text[TEXT_SIZE];
    struct buffer expected = buffer_new(TEXT_SIZE);
    for (int i = 0; i < LINES; i++) {
        size_t start = expected.size;
        buffer_append(&expected, BYTES("line "));
        buffer_append_integer(&expected, i);
        buffer_append_byte(&expected, '\n');
        log_writer_append(stage.writer, bytes_from(buffer_bytes(&expected), start));
    }
    size_t size = read_until(&stage, text, "line 199\n");
    assert_int_equal(size, expected.size);
    assert_memory_equal(text, expected.data, size);
    log_writer_free(stage.writer);
    buffer_done(&expected);
    tear_down(&stage);
}

static void given_lines_that_wait_when_freed_then_they_are_written(void **state) {
    (void)state;
    struct stage stage;
    set_up(&stage);
    static char text[TEXT_SIZE];
    log_writer_append(stage.writer, BYTES("the last words\n"));
    log_writer_free(stage.writer);
    read_until(&stage, text, "the last words\n");
    tear_down(&stage);
}

/* Fills the pipe, so that the next write fails. */
static void fill(const struct stage *stage) {
    static const char noise[4096] = {'x'};
    while (write(stage->writing, noise, sizeof noise) > 0)
        ;
    assert_int_equal(errno, EAGAIN);
}

static void
given_a_file_that_takes_nothing_when_it_does_again_then_the_lost_lines_are_counted(void **state) {
    (void)state;
    struct stage stage;
    set_up(&stage);
    fill(&stage);
    /* More than the writer can keep: some are lost, however its thread runs. */
    static unsigned char line[1024];
    memset(line, 'a', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 3 * 1024; i++)
        log_writer_append(stage.writer, (struct bytes){line, sizeof line});
    static char text[TEXT_SIZE];
    bool said = false;
    while (!said) {
        struct pollfd wait = {.fd = stage.reading, .events = POLLIN};
        assert_int_equal(poll(&wait, 1, PATIENCE_MILLISECONDS), 1);
        ssize_t got = read(stage.reading, text, sizeof text - 1);
        assert_true(got > 0);
        text[got] = '\0';
        said = memmem(text, (size_t)got, "lost ", 5) != NULL;
        log_writer_append(stage.writer, BYTES("more\n"));
    }
    log_writer_free(stage.writer);
    tear_down(&stage);
}

static void
given_a_reader_that_stopped_when_freed_then_the_writer_does_not_wait_for_ever(void **state) {
    (void)state;
    struct stage stage;
    set_up(&stage);
    fill(&stage);
    assert_int_equal(fcntl(stage.writing, F_SETFL, 0), 0); /* a write would wait from here on */
    log_writer_append(stage.writer, BYTES("nobody reads this\n"));
    log_writer_free(stage.writer);
    tear_down(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_many_lines_when_appended_then_all_come_out_in_order),
        cmocka_unit_test(given_lines_that_wait_when_freed_then_they_are_written),
        cmocka_unit_test(
            given_a_reader_that_stopped_when_freed_then_the_writer_does_not_wait_for_ever),
        cmocka_unit_test(
            given_a_file_that_takes_nothing_when_it_does_again_then_the_lost_lines_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
