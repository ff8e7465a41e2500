/* A command that is talked to, and all that it may do wrong. */
#include "fixtures.h"

#include "childprocess.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GRACE = 200, LINE_SIZE_MAX = 65536 };

struct talk {
    struct childprocess *child;
    struct buffer errors;
};

static void on_error_output(void *context, struct bytes piece) {
    struct talk *talk = context;
    buffer_append(&talk->errors, piece);
}

static void start_watched(struct talk *talk, const char *const *words, int interrupt_file) {
    *talk = (struct talk){.errors = buffer_new(SIZE_MAX)};
    const struct childprocess_config config = {.words = words,
                                               .interrupt_file = interrupt_file,
                                               .line_size_max = LINE_SIZE_MAX,
                                               .on_error_output = on_error_output,
                                               .context = talk};
    int error = 0;
    assert_int_equal(childprocess_start(&config, &talk->child, &error), STATUS_OK);
}

#define START(talk, ...)                                                                           \
    start_watched(talk, (const char *const[]){FAKE_COMMAND, __VA_ARGS__, NULL}, -1)

static int end(struct talk *talk) {
    int status = childprocess_end(talk->child, GRACE);
    buffer_done(&talk->errors);
    return status;
}

static void expect_line(struct talk *talk, const char *text) {
    struct bytes line = BYTES("");
    assert_int_equal(childprocess_wait(talk->child, PATIENCE, &line), CHILDPROCESS_LINE);
    if (!bytes_equal(line, bytes_of_text(text)))
        fail_msg("\"%.*s\" instead of \"%s\"", (int)line.size, line.data, text);
}

static void given_a_command_when_talked_to_then_lines_go_both_ways(void **state) {
    (void)state;
    struct talk talk;
    START(&talk, "read", "one", "say", "two\r", "say", "", "say", "three", "read", "four", "say",
          "five", "begin", "six", "exit", "3");
    struct bytes line = BYTES("");
    assert_int_equal(childprocess_send(talk.child, BYTES("one")), STATUS_OK);
    expect_line(&talk, "two");
    expect_line(&talk, "");
    expect_line(&talk, "three");
    assert_false(childprocess_next(talk.child, &line));
    assert_int_equal(childprocess_send(talk.child, BYTES("four")), STATUS_OK);
    expect_line(&talk, "five");
    /* What has no line's end is no line. */
    assert_int_equal(childprocess_wait(talk.child, PATIENCE, &line), CHILDPROCESS_ENDED);
    int status = end(&talk);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void given_no_such_program_when_started_then_the_error_is_told(void **state) {
    (void)state;
    const struct childprocess_config config = {
        .words = (const char *const[]){"/nowhere/nothing", NULL}, .interrupt_file = -1};
    struct childprocess *child = NULL;
    int error = 0;
    assert_int_equal(childprocess_start(&config, &child, &error), STATUS_IO);
    assert_int_equal(error, ENOENT);
    assert_int_equal(childprocess_end(NULL, GRACE), 0);
}

static void given_a_flood_of_errors_when_waiting_then_the_line_comes_all_the_same(void **state) {
    (void)state;
    struct talk talk;
    START(&talk, "flood", "3000000", "say", "done");
    expect_line(&talk, "done");
    /* What is left is in the pipe, which holds 64 KiB. */
    assert_true(talk.errors.size >= 2900000);
    assert_int_equal(childprocess_end(talk.child, PATIENCE), 0);
    assert_true(talk.errors.size >= 3000000);
    buffer_done(&talk.errors);
}

/* A pipe holds 64 KiB. */
static void
given_a_command_that_never_reads_when_sent_much_then_the_wait_ends_in_time(void **state) {
    (void)state;
    struct talk talk;
    START(&talk, "hang");
    struct buffer much = buffer_new(SIZE_MAX);
    unsigned char *room = buffer_extend(&much, 1000000);
    assert_non_null(room);
    memset(room, 'x', 1000000);
    assert_int_equal(childprocess_send(talk.child, buffer_bytes(&much)), STATUS_OK);
    struct bytes line = BYTES("");
    assert_int_equal(childprocess_wait(talk.child, 100, &line), CHILDPROCESS_TIMEOUT);
    int status = end(&talk);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    buffer_done(&much);
}

static void given_a_command_that_writes_while_it_is_sent_much_then_neither_blocks(void **state) {
    (void)state;
    struct talk talk;
    struct buffer much = buffer_new(SIZE_MAX);
    unsigned char *room = buffer_extend(&much, 1000000);
    assert_non_null(room);
    memset(room, 'x', 1000000);
    START(&talk, "flood", "300000", "say", "early", "flood", "300000", "read", "x", "say", "late");
    assert_int_equal(childprocess_send(talk.child, buffer_bytes(&much)), STATUS_OK);
    expect_line(&talk, "early");
    expect_line(&talk, "late");
    assert_int_equal(childprocess_end(talk.child, PATIENCE), 0);
    buffer_done(&talk.errors);
    buffer_done(&much);
}

static void given_a_command_that_is_dead_when_sent_to_then_its_end_is_told(void **state) {
    (void)state;
    struct talk talk;
    START(&talk, "error", "farewell", "exit", "4");
    struct bytes line = BYTES("");
    assert_int_equal(childprocess_send(talk.child, BYTES("hello")), STATUS_OK);
    assert_int_equal(childprocess_wait(talk.child, PATIENCE, &line), CHILDPROCESS_ENDED);
    assert_int_equal(childprocess_send(talk.child, BYTES("hello")), STATUS_OK);
    assert_int_equal(childprocess_wait(talk.child, PATIENCE, &line), CHILDPROCESS_ENDED);
    int status = childprocess_end(talk.child, GRACE);
    assert_int_equal(WEXITSTATUS(status), 4);
    assert_true(bytes_equal(buffer_bytes(&talk.errors), BYTES("farewell\n")));
    buffer_done(&talk.errors);
}

static void given_a_line_without_end_when_read_then_it_is_too_long(void **state) {
    (void)state;
    struct talk talk;
    START(&talk, "endless");
    struct bytes line = BYTES("");
    assert_int_equal(childprocess_wait(talk.child, PATIENCE, &line), CHILDPROCESS_TOO_LONG);
    end(&talk);
}

static void given_lines_without_end_when_read_then_each_wait_gives_one(void **state) {
    (void)state;
    struct talk talk;
    START(&talk, "chatter");
    for (int i = 0; i < 10000; i++)
        expect_line(&talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}");
    end(&talk);
}

static void given_an_interruption_when_waiting_then_it_ends_at_once(void **state) {
    (void)state;
    struct talk talk;
    int interrupt_file = eventfd(1, EFD_CLOEXEC);
    start_watched(&talk, (const char *const[]){FAKE_COMMAND, "hang", NULL}, interrupt_file);
    struct bytes line = BYTES("");
    assert_int_equal(childprocess_wait(talk.child, PATIENCE, &line), CHILDPROCESS_INTERRUPTED);
    end(&talk);
    close(interrupt_file);
}

static void given_a_command_that_ignores_its_end_when_ended_then_it_is_made_to(void **state) {
    (void)state;
    struct talk talk;
    START(&talk, "stubborn", "say", "ready", "hang");
    expect_line(&talk, "ready");
    int status = end(&talk);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Signals to its first group no longer reach it. */
static void given_a_stubborn_command_in_another_group_when_ended_then_it_is_made_to(void **state) {
    (void)state;
    struct talk talk;
    START(&talk, "stubborn", "elsewhere", "say", "ready", "hang");
    expect_line(&talk, "ready");
    int status = end(&talk);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void given_a_command_that_ends_with_its_input_when_ended_then_it_isnt_killed(void **state) {
    (void)state;
    struct talk talk;
    START(&talk, "say", "ready");
    expect_line(&talk, "ready");
    assert_int_equal(childprocess_end(talk.child, PATIENCE), 0);
    buffer_done(&talk.errors);
}

static void given_a_command_that_started_another_when_ended_then_that_ends_too(void **state) {
    (void)state;
    struct talk talk;
    char path[] = "/tmp/tandem-child-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    START(&talk, "parent", path, "say", "ready");
    expect_line(&talk, "ready");
    end(&talk);
    char text[32] = "";
    assert_true(read(file, text, sizeof text - 1) > 0);
    int pid = atoi(text);
    assert_true(process_ends(pid, deadline_in(PATIENCE)));
    close(file);
    unlink(path);
}

/* The child gets three descriptors, and signals as they are by default. */
static void given_a_command_when_started_then_it_inherits_nothing_else(void **state) {
    (void)state;
    struct talk talk;
    int open_file = open("/dev/null", O_RDONLY);
    assert_true(open_file > STDERR_FILENO);
    start_watched(&talk,
                  (const char *const[]){"/bin/sh", "-c",
                                        "ls /proc/$$/fd | tr '\\n' ' '; echo; "
                                        "grep -E '^Sig(Blk|Ign)' /proc/$$/status | tr -d '\\n\\t'; "
                                        "echo",
                                        NULL},
                  -1);
    struct bytes line = BYTES("");
    assert_int_equal(childprocess_wait(talk.child, PATIENCE, &line), CHILDPROCESS_LINE);
    assert_true(bytes_equal(bytes_up_to(line, 6), BYTES("0 1 2 ")) && line.size <= 8);
    /* The C library's own two are beyond the standard ones, which are the last seven digits. */
    assert_int_equal(childprocess_wait(talk.child, PATIENCE, &line), CHILDPROCESS_LINE);
    assert_true(bytes_equal(bytes_up_to(line, 23), BYTES("SigBlk:0000000000000000")));
    assert_true(bytes_equal(bytes_from(line, line.size - 7), BYTES("0000000")));
    end(&talk);
    close(open_file);
}

static int ignore_pipe(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_command_when_talked_to_then_lines_go_both_ways),
        cmocka_unit_test(given_no_such_program_when_started_then_the_error_is_told),
        cmocka_unit_test(given_a_flood_of_errors_when_waiting_then_the_line_comes_all_the_same),
        cmocka_unit_test(
            given_a_command_that_never_reads_when_sent_much_then_the_wait_ends_in_time),
        cmocka_unit_test(given_a_command_that_writes_while_it_is_sent_much_then_neither_blocks),
        cmocka_unit_test(given_a_command_that_is_dead_when_sent_to_then_its_end_is_told),
        cmocka_unit_test(given_a_line_without_end_when_read_then_it_is_too_long),
        cmocka_unit_test(given_lines_without_end_when_read_then_each_wait_gives_one),
        cmocka_unit_test(given_an_interruption_when_waiting_then_it_ends_at_once),
        cmocka_unit_test(given_a_command_that_ignores_its_end_when_ended_then_it_is_made_to),
        cmocka_unit_test(given_a_stubborn_command_in_another_group_when_ended_then_it_is_made_to),
        cmocka_unit_test(given_a_command_that_ends_with_its_input_when_ended_then_it_isnt_killed),
        cmocka_unit_test(given_a_command_that_started_another_when_ended_then_that_ends_too),
        cmocka_unit_test(given_a_command_when_started_then_it_inherits_nothing_else),
    };
    return cmocka_run_group_tests(tests, ignore_pipe, NULL);
}
