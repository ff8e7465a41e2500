/* `tandem serve --stdio`: the same messages, one a line; nothing but replies on standard output. */
#include "mcp_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_MOST = 1048576, OVERLONG = 10485760, FULL_AFTER = 500, PAGE = 4096 };

/* The server at the other end of two pipes. */
struct conversation {
    struct scene *scene;
    pid_t pid;
    int in, out;
    struct buffer read;
};

static void start(struct conversation *conversation, struct scene *scene, const char *ledger) {
    int in[2], out[2];
    *conversation = (struct conversation){.scene = scene, .read = buffer_new(LINE_MOST)};
    assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
    conversation->pid = fork();
    if (conversation->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (chdir(scene->directory) == 0 && dup2(in[0], STDIN_FILENO) >= 0 &&
            dup2(out[1], STDOUT_FILENO) >= 0 && freopen("stdio.log", "w", stderr) != NULL)
            execl(TANDEM_BINARY, "tandem", "serve", "--stdio", "--signing-key-file", KEY_FILE,
                  ledger == NULL ? NULL : "--ledger", ledger, NULL);
        _exit(126);
    }
    assert_true(conversation->pid > 0);
    close(in[0]);
    close(out[1]);
    conversation->in = in[1];
    conversation->out = out[0];
}

static void say_bytes(const struct conversation *conversation, struct bytes text) {
    while (text.size > 0) {
        ssize_t written = write(conversation->in, text.data, text.size);
        assert_true(written > 0);
        text = bytes_from(text, (size_t)written);
    }
}

static void say(const struct conversation *conversation, const char *line) {
    say_bytes(conversation, bytes_of_text(line));
    say_bytes(conversation, BYTES("\n"));
}

/* The next line of the output, or NULL at its end. */
static const char *hear(struct conversation *conversation) {
    struct deadline patience = deadline_in(PATIENCE);
    for (;;) {
        struct bytes all = buffer_bytes(&conversation->read);
        size_t size = bytes_find(all, '\n');
        if (size < all.size) {
            struct arena *arena = &conversation->scene->arena;
            const char *line = (const char *)arena_copy(arena, bytes_up_to(all, size)).data;
            struct bytes rest = arena_copy(arena, bytes_from(all, size + 1));
            buffer_clear(&conversation->read);
            buffer_append(&conversation->read, rest);
            return line;
        }
        struct pollfd wait = {.fd = conversation->out, .events = POLLIN};
        assert_true(poll(&wait, 1, (int)deadline_left(patience)) > 0);
        unsigned char piece[4096];
        ssize_t got = read(conversation->out, piece, sizeof piece);
        if (got <= 0)
            return NULL;
        buffer_append(&conversation->read, (struct bytes){piece, (size_t)got});
    }
}

/* Closes the input, and returns the exit code; nothing more may come. */
static int end(struct conversation *conversation) {
    int status = 0;
    if (conversation->in >= 0)
        close(conversation->in);
    if (conversation->out >= 0)
        assert_null(hear(conversation));
    assert_int_equal(waitpid(conversation->pid, &status, 0), conversation->pid);
    close(conversation->out);
    buffer_done(&conversation->read);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static const char *line_of(struct scene *scene, const char *params) {
    return arena_format(&scene->arena,
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{%s}}",
                        params);
}

/* The requestState of a line that asks, as JSON text. */
static const char *state_in(struct scene *scene, const char *line) {
    json_t *root = json_loads(line, 0, NULL);
    json_t *state = json_object_get(json_object_get(root, "result"), "requestState");
    if (!json_is_string(state))
        fail_msg("no question: %s", line);
    const char *quoted = json_quoted(&scene->arena, json_string_value(state));
    json_decref(root);
    return quoted;
}

static const char *ask_in_line(struct conversation *conversation) {
    struct scene *scene = conversation->scene;
    say(conversation,
        line_of(scene, "\"name\":\"book\",\"arguments\":" AGENTS_BOOKING("") "," CAN_ASK));
    return state_in(scene, hear(conversation));
}

static const char *answer_in_line(struct conversation *conversation, const char *state) {
    struct scene *scene = conversation->scene;
    say(conversation,
        line_of(scene,
                arena_format(
                    &scene->arena,
                    "\"name\":\"book\",\"arguments\":" AGENTS_BOOKING(
                        "") ",\"inputResponses\":{\"time\":" ACCEPT_TIME("sat-10:"
                                                                         "30") "},"
                                                                               "\"requestState\":%"
                                                                               "s," CAN_ASK,
                    state)));
    return hear(conversation);
}

static void assert_in(const char *text, const char *part) {
    if (text == NULL || strstr(text, part) == NULL)
        fail_msg("%s is not in %s", part, text == NULL ? "nothing" : text);
}

static void given_a_desktop_program_when_it_converses_then_it_books_once(void **state) {
    struct conversation conversation;
    start(&conversation, *state, NULL);
    const char *issued = ask_in_line(&conversation);
    assert_in(answer_in_line(&conversation, issued), "\"slot\":\"sat-10:30\"");
    assert_in(answer_in_line(&conversation, issued), "Invalid or expired requestState");
    assert_int_equal(end(&conversation), 0);
    /* Its ledger is memory: nothing is left in the folder where it ran. */
    char path[DIRECTORY_SIZE + 32];
    snprintf(path, sizeof path, "%s/tandem.db", conversation.scene->directory);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void given_the_handshake_when_it_comes_in_lines_then_each_request_is_answered(void **state) {
    struct conversation conversation;
    start(&conversation, *state, NULL);
    say(&conversation, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
                       "\"protocolVersion\":\"2025-06-18\"}}");
    assert_in(hear(&conversation), "\"protocolVersion\":\"2025-06-18\"");
    say(&conversation, "");
    say(&conversation, " \r");
    say(&conversation, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    say(&conversation, "{\"jsonrpc\":\"2.0\",\"id\":\"two\",\"method\":\"ping\"}\r");
    assert_string_equal(hear(&conversation), "{\"jsonrpc\":\"2.0\",\"id\":\"two\",\"result\":{}}");
    say(&conversation,
        line_of(conversation.scene,
                "\"name\":\"book\",\"arguments\":" AGENTS_BOOKING(",\"time\":\"sat-11:30\"")));
    assert_in(hear(&conversation), "\"slot\":\"sat-11:30\"");
    assert_int_equal(end(&conversation), 0);
}

static void
given_lines_that_are_no_messages_when_they_come_then_it_says_so_and_goes_on(void **state) {
    struct conversation conversation;
    start(&conversation, *state, NULL);
    static const char *const lines[] = {"x", "[]", "{\"id\":1}", "\xff", "null"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        say(&conversation, lines[i]);
        assert_in(hear(&conversation), "\"error\":{\"code\":-32");
    }
    unsigned char *large = malloc(OVERLONG);
    assert_non_null(large);
    memset(large, 'x', OVERLONG);
    say_bytes(&conversation, (struct bytes){large, OVERLONG});
    free(large);
    say(&conversation, "{\"still\":\"the same line\"}");
    assert_in(hear(&conversation), "over the limit");
    const struct bytes with_nul = BYTES("{\"jsonrpc\":\"2.0\",\0\"id\":1}\n");
    say_bytes(&conversation, with_nul);
    assert_in(hear(&conversation), "-32700");
    say(&conversation, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    assert_in(hear(&conversation), "\"result\":{}");
    assert_int_equal(end(&conversation), 0);
}

static void
given_the_input_ends_in_a_line_when_read_then_the_whole_ones_are_answered(void **state) {
    struct conversation conversation;
    start(&conversation, *state, NULL);
    say_bytes(&conversation, BYTES("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
    close(conversation.in);
    conversation.in = -1;
    assert_in(hear(&conversation), "\"id\":1,\"result\":{}");
    assert_int_equal(end(&conversation), 0);
    start(&conversation, *state, NULL);
    say_bytes(&conversation, BYTES("{\"jsonrpc\":\"2.0\",\"id\":1,\"meth"));
    close(conversation.in);
    conversation.in = -1;
    assert_in(hear(&conversation), "-32700");
    assert_int_equal(end(&conversation), 0);
}

static void
given_nobody_reads_the_output_when_it_is_closed_then_it_ends_with_a_failure(void **state) {
    struct conversation conversation;
    start(&conversation, *state, NULL);
    ask_in_line(&conversation);
    close(conversation.out);
    conversation.out = -1;
    int status = 0;
    assert_int_equal(waitpid(conversation.pid, &status, 0), conversation.pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    close(conversation.in);
    buffer_done(&conversation.read);
}

static void given_a_signal_when_it_comes_then_it_ends_and_a_reload_does_not(void **state) {
    struct conversation conversation;
    start(&conversation, *state, NULL);
    const char *issued = ask_in_line(&conversation);
    kill(conversation.pid, SIGHUP);
    assert_in(answer_in_line(&conversation, issued), "\"status\":\"booked\"");
    kill(conversation.pid, SIGTERM);
    assert_null(hear(&conversation));
    assert_int_equal(end(&conversation), 0);
}

/* Asks until it takes no more, as its replies have nowhere to go: a pipe of a page takes no more
 * once there is something in it. */
static void fill_up(const struct conversation *conversation) {
    static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    struct pollfd room = {.fd = conversation->in, .events = POLLOUT};
    int unread = 0;
    assert_int_equal(fcntl(conversation->out, F_SETPIPE_SZ, PAGE), PAGE);
    assert_int_equal(fcntl(conversation->in, F_SETFL, O_NONBLOCK), 0);
    while (poll(&room, 1, FULL_AFTER) > 0 || unread == 0) {
        assert_true(write(conversation->in, line, sizeof line - 1) > 0 || errno == EAGAIN);
        assert_int_equal(ioctl(conversation->out, FIONREAD, &unread), 0);
    }
}

static void
given_nobody_takes_the_output_when_a_signal_comes_then_it_ends_with_a_failure(void **state) {
    struct conversation conversation;
    start(&conversation, *state, NULL);
    fill_up(&conversation);
    int status = 0;
    kill(conversation.pid, SIGTERM);
    assert_int_equal(waitpid(conversation.pid, &status, 0), conversation.pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    close(conversation.in);
    close(conversation.out);
    buffer_done(&conversation.read);
}

static void given_wrong_options_when_started_then_it_says_what_does_not_go_together(void **state) {
    struct scene *scene = *state;
    static const struct {
        const char *words[6];
        const char *error;
    } rows[] = {
        {{"serve", "--stdio", "--no-mcp", NULL}, "--stdio serves nothing but MCP"},
        {{"serve", "--stdio", "--admin", "127.0.0.1:0", NULL},
         "--stdio opens no port, and --admin asks for one"},
        {{"serve", "--stdio", "--listen", "127.0.0.1:0", NULL},
         "--stdio opens no port, and --listen asks for one"},
        {{"serve", "--mcp-allow-host", "a.example:80", NULL}, "is not a host"},
        {{"serve", "--mcp-allow-host", "http://a.example", NULL}, "is not a host"},
        {{"serve", "--mcp-allow-host", "*", NULL}, "is not a host"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ended ended = scene_run(scene, rows[i].words, NULL);
        assert_int_equal(ended.exit_code, 2);
        assert_in(ended.error, rows[i].error);
    }
}

#ifdef TANDEM_SQLITE
/* The state of a program that ended completes in the next one, and at HTTP, when they share the
 * ledger: here the next one is another run. */
static void given_a_ledger_in_a_file_when_started_again_then_a_state_completes_once(void **state) {
    struct conversation conversation;
    start(&conversation, *state, "sqlite:shared.db");
    const char *issued = ask_in_line(&conversation);
    assert_int_equal(end(&conversation), 0);
    start(&conversation, *state, "sqlite:shared.db");
    assert_in(answer_in_line(&conversation, issued), "\"status\":\"booked\"");
    assert_int_equal(end(&conversation), 0);
    start(&conversation, *state, "sqlite:shared.db");
    assert_in(answer_in_line(&conversation, issued), "Invalid or expired requestState");
    assert_int_equal(end(&conversation), 0);
}
#endif

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(given_a_desktop_program_when_it_converses_then_it_books_once),
        SCENARIO_WITHOUT_SERVER(
            given_the_handshake_when_it_comes_in_lines_then_each_request_is_answered),
        SCENARIO_WITHOUT_SERVER(
            given_lines_that_are_no_messages_when_they_come_then_it_says_so_and_goes_on),
        SCENARIO_WITHOUT_SERVER(
            given_the_input_ends_in_a_line_when_read_then_the_whole_ones_are_answered),
        SCENARIO_WITHOUT_SERVER(
            given_nobody_reads_the_output_when_it_is_closed_then_it_ends_with_a_failure),
        SCENARIO_WITHOUT_SERVER(given_a_signal_when_it_comes_then_it_ends_and_a_reload_does_not),
        SCENARIO_WITHOUT_SERVER(
            given_nobody_takes_the_output_when_a_signal_comes_then_it_ends_with_a_failure),
        SCENARIO_WITHOUT_SERVER(
            given_wrong_options_when_started_then_it_says_what_does_not_go_together),
#ifdef TANDEM_SQLITE
        SCENARIO_WITHOUT_SERVER(
            given_a_ledger_in_a_file_when_started_again_then_a_state_completes_once),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
