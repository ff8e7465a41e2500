/* "tandem mcp" with a command's standard input and output: one that plays a script. */
#include "mcp_replies.h"

#include "program.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STDIO(...) ((const char *const[]){"mcp", __VA_ARGS__, NULL})
#define TOOLS_OF(...) STDIO("tools", "--stdio", "--", FAKE_COMMAND, __VA_ARGS__)
#define MODERN "--protocol", "2026-07-28"
#define CALL_WITHIN(seconds, ...)                                                                  \
    STDIO("call", "--stdio", "book", "{\"n\":\n1}", MODERN, "--timeout", seconds, "--",            \
          FAKE_COMMAND, "read", "\"id\":1,\"method\":\"tools/list\"", "say", MCP_TOOLS("1"),       \
          "read", "\"id\":2,\"method\":\"tools/call\"", __VA_ARGS__)
#define CALL_OF(...) CALL_WITHIN("2", __VA_ARGS__)

static void
given_protocol_2025_11_25_when_a_tool_is_called_over_stdio_then_ids_are_1_2_3(void **state) {
    (void)state;
    expect("call",
           STDIO("call", "--stdio", "book", "{}", "--protocol", "2025-11-25", "--", FAKE_COMMAND,
                 "read", "\"id\":1,\"method\":\"initialize\"", "say", MCP_INITIALIZED("1"), "read",
                 "\"method\":\"notifications/initialized\"", "read",
                 "\"id\":2,\"method\":\"tools/list\"", "say", MCP_TOOLS("2"), "read",
                 "\"id\":3,\"method\":\"tools/call\"", "say", MCP_SAYS("3", "done")),
           0, "done\n", "");
}

static void given_a_server_that_refuses_the_probe_when_asked_then_hands_are_shaken(void **state) {
    (void)state;
    expect("refused",
           TOOLS_OF("read", "server/discover", "say", MCP_ERROR("1", "-32601", "no"), "read",
                    "\"id\":2,\"method\":\"initialize\"", "say", MCP_INITIALIZED("2"), "read",
                    "notifications/initialized", "read", "\"id\":3,\"method\":\"tools/list\"",
                    "say", MCP_TOOLS("3")),
           0, "book (Book)\n    Books a visit\n", "");
    expect("a modern one",
           STDIO("discover", "--stdio", "--json", "--", FAKE_COMMAND, "read", "server/discover",
                 "say",
                 MCP_RESULT("1", "\"supportedVersions\":[\"2026-07-28\"],\"x\":\"\xC2\x9B\"")),
           0,
           "{\"protocol\":\"2026-07-28\",\"result\":{\"supportedVersions\":[\"2026-07-28\"],"
           "\"x\":\"\\u009b\"}}\n",
           "");
}

/* Case I3, through the program: the probe isn't answered within 3 s, and then it is. */
static void
given_a_late_answer_to_the_probe_when_it_comes_then_the_next_gets_its_own(void **state) {
    (void)state;
    expect("late",
           TOOLS_OF("read", "\"id\":1,\"method\":\"server/discover\"", "read",
                    "\"id\":2,\"method\":\"initialize\"", "say", MCP_ERROR("1", "-32601", "no"),
                    "say", MCP_INITIALIZED("2"), "read", "notifications/initialized", "read",
                    "\"id\":3", "say", MCP_TOOLS("3")),
           0, "book (Book)\n    Books a visit\n",
           "warning: a late reply is dropped: to request 1, which was given up\n");
}

static void given_a_hostile_command_when_called_then_the_problem_is_named(void **state) {
    (void)state;
#define AT_CALL "that was request 2, tools/call\n"
    const struct {
        const char *name;
        const char *const *words;
        int exit_code;
        const char *error;
    } rows[] = {
        {"wrong id", CALL_OF("say", MCP_SAYS("3", "x")), 1,
         "id mismatch: got 3, expected 2\n" AT_CALL},
        {"reused id", CALL_OF("say", MCP_SAYS("1", "x")), 1,
         "id mismatch: got 1, expected 2\n" AT_CALL},
        {"two replies at once", CALL_OF("say", MCP_SAYS("2", "x") "\n" MCP_SAYS("2", "y")), 1,
         "a second reply came\n" AT_CALL},
        {"no JSON", CALL_OF("say", "hello"), 1,
         "the reply can't be read: it is not JSON\n" AT_CALL},
        {"an array", CALL_OF("say", "[]"), 1,
         "the reply can't be read: it is an array, where one reply is due\n" AT_CALL},
        {"dies", CALL_OF("error", "out\x1B[2J", "exit", "7"), 1,
         "out\\u001b[2J\nthe server ended without a reply\nthe command exited with 7\n" AT_CALL},
        {"dies within a line", CALL_OF("begin", MCP_SAYS("2", "x"), "exit", "0"), 1,
         "the server ended without a reply\n" AT_CALL},
        {"never answers", CALL_OF("hang"), 1, NULL},
        {"an endless line", CALL_WITHIN("60", "endless"), 1,
         "the reply is over the limit of 4 MiB\n" AT_CALL},
        {"notifications for ever", CALL_WITHIN("60", "chatter"), 1,
         "the reply is over the limit of 4 MiB\n" AT_CALL},
        {"never reads",
         STDIO("tools", "--stdio", MODERN, "--timeout", "1", "--", FAKE_COMMAND, "stubborn",
               "hang"),
         1, NULL},
        {"a request of its own", CALL_OF("say", MCP_REPLY("7", "\"method\":\"ping\"")), 1,
         "the server sent a request of its own\n" AT_CALL},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        expect(rows[i].name, rows[i].words, rows[i].exit_code, "", rows[i].error);
}

static void given_a_flood_of_errors_when_called_then_the_result_comes_all_the_same(void **state) {
    (void)state;
    struct session session;
    const struct session_options options = {
        .words = CALL_OF("flood", "1000000", "say", MCP_SAYS("2", "ok"))};
    assert_true(session_start(&session, &options));
    struct session_end end = session_wait(&session);
    assert_int_equal(end.exit_code, 0);
    assert_string_equal(end.out, "ok\n");
    assert_true(strlen(end.error) >= 1000000);
    session_done(&session, &end);
}

static void given_large_arguments_when_called_then_all_of_them_arrive(void **state) {
    (void)state;
    /* Over a pipe's 64 KiB, and under the system's limit of one argument, 128 KiB. */
    char arguments[120000] = "{\"n\":\"";
    memset(arguments + 6, 'x', sizeof arguments - 20);
    strcpy(arguments + sizeof arguments - 20, "end\"}");
    expect("large",
           STDIO("call", "--stdio", "book", arguments, MODERN, "--", FAKE_COMMAND, "flood",
                 "200000", "read", "tools/list", "say", MCP_TOOLS("1"), "flood", "200000", "read",
                 "xxxend\"}", "say", MCP_SAYS("2", "ok")),
           0, "ok\n", NULL);
}

static void given_no_such_command_when_started_then_it_is_named(void **state) {
    (void)state;
    expect("none", STDIO("tools", "--stdio", "--json", "--", "/nowhere/mcp"), 1,
           "{\"problem\":\"/nowhere/mcp can't be started: No such file or directory\"}\n",
           "/nowhere/mcp can't be started: No such file or directory\n");
}

#define UNKNOWN                                                                                    \
    "the answer was sent, and nobody can say what became of it; look before you try again\n"

static void given_an_answer_sent_when_the_command_dies_then_the_outcome_is_unknown(void **state) {
    (void)state;
    expect("dies",
           STDIO("call", "--stdio", "book", "{}", MODERN, "--answer", "time=b", "--", FAKE_COMMAND,
                 "read", "tools/list", "say", MCP_TOOLS("1"), "read", "tools/call", "say",
                 MCP_ASKS("2", MCP_TIME, ",\"requestState\":\"\\u0000s\""), "read",
                 "\"requestState\":\"\\u0000s\"", "exit", "0"),
           5, "", "the server ended without a reply\n" UNKNOWN "that was request 3, tools/call\n");
}

static void given_the_handshake_era_when_the_command_asks_then_it_is_answered(void **state) {
    (void)state;
    expect("asks",
           STDIO("call", "--stdio", "book", "{}", "--protocol", "2025-06-18", "--answer", "time=b",
                 "--", FAKE_COMMAND, "read", "\"elicitation\":{}", "say", MCP_INITIALIZED("1"),
                 "read", "initialized", "read", "tools/list", "say", MCP_TOOLS("2"), "read",
                 "tools/call", "say",
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\","
                 "\"params\":" MCP_TIME "}",
                 "read",
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\",\"content\":{"
                 "\"time\":\"b\"}}}",
                 "say", MCP_SAYS("3", "done")),
           0, "done\n", "warning: the server chose version 2025-11-25 instead of 2025-06-18\n");
}

/* The call goes on at the server, and has had an answer. */
static void
given_the_handshake_era_when_a_second_answer_is_missing_then_the_outcome_is_unknown(void **state) {
    (void)state;
    expect("asks again",
           STDIO("call", "--stdio", "book", "{}", "--protocol", "2025-11-25", "--answer", "time=b",
                 "--", FAKE_COMMAND, "say", MCP_INITIALIZED("1"), "read", "initialize", "read",
                 "initialized", "read", "tools/list", "say", MCP_TOOLS("2"), "read", "tools/call",
                 "say",
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\","
                 "\"params\":" MCP_TIME "}",
                 "read", "\"time\":\"b\"", "say",
                 "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"elicitation/create\","
                 "\"params\":{\"message\":\"Sure?\",\"requestedSchema\":{\"type\":\"object\","
                 "\"properties\":{\"sure\":{\"type\":\"boolean\"}},\"required\":[\"sure\"]}}}"),
           5, "", "sure: it needs an answer: give --answer\n" UNKNOWN);
}

/* Code 1 would say that the call failed, and a script would try again. */
static void given_a_result_when_it_cant_be_printed_then_a_call_is_not_called_failed(void **state) {
    (void)state;
#define UNPRINTED "the result could not be printed\n"
#define LAST "tandem: standard output can't be written\n"
    const struct session_options call = {.words = CALL_OF("say", MCP_SAYS("2", "done")),
                                         .output = "/dev/full"};
    session_expect("call", &call, 5, NULL,
                   UNPRINTED "the tool has run; look before you try again\n" LAST);
    const struct session_options list = {.words =
                                             STDIO("tools", "--stdio", MODERN, "--", FAKE_COMMAND,
                                                   "read", "tools/list", "say", MCP_TOOLS("1")),
                                         .output = "/dev/full"};
    session_expect("tools", &list, 1, NULL, UNPRINTED LAST);
#undef UNPRINTED
#undef LAST
}

static void given_a_call_under_way_when_interrupted_then_the_command_ends_too(void **state) {
    (void)state;
    struct session session;
    const struct session_options options = {
        .words = CALL_OF("error", "working", "hang"), .has_terminal = true, .shows_output = true};
    assert_true(session_start(&session, &options));
    assert_true(session_wait_for(&session, "working"));
    session_type(&session, "\x03");
    struct session_end end = session_wait(&session);
    assert_int_equal(end.exit_code, 130);
    session_done(&session, &end);
}

/* A command and what it started, neither of which ends when asked to, while its caller is ended by
 * each signal that does so. */
static void given_a_stubborn_command_when_its_caller_is_ended_then_it_ends_too(void **state) {
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < LENGTH_OF(signals); i++) {
        char path[64];
        assert_true(session_file(path, ""));
        struct session session;
        const struct session_options options = {
            .words = CALL_OF("stubborn", "parent", path, "error", "working", "hang"),
            .has_terminal = true,
            .shows_output = true};
        assert_true(session_start(&session, &options));
        assert_true(session_wait_for(&session, "working"));
        kill(session.pid, signals[i]);
        struct session_end end = session_wait(&session);
        assert_int_equal(end.exit_code, 128 + signals[i]);
        FILE *file = fopen(path, "r");
        int pid = 0;
        assert_true(file != NULL && fscanf(file, "%d", &pid) == 1);
        fclose(file);
        assert_true(process_ends(pid, deadline_in(PATIENCE)));
        unlink(path);
        session_done(&session, &end);
    }
}

static void
given_an_answer_sent_when_the_caller_is_ended_then_the_outcome_is_unknown(void **state) {
    (void)state;
    struct session session;
    const struct session_options options = {
        .words = STDIO("call", "--stdio", "book", "{}", MODERN, "--answer", "time=a", "--",
                       FAKE_COMMAND, "read", "tools/list", "say", MCP_TOOLS("1"), "read",
                       "tools/call", "say", MCP_ASKS("2", MCP_TIME, ""), "read", "\"time\":\"a\"",
                       "error", "working", "hang"),
        .has_terminal = true,
        .shows_output = true};
    assert_true(session_start(&session, &options));
    assert_true(session_wait_for(&session, "working"));
    kill(session.pid, SIGTERM);
    struct session_end end = session_wait(&session);
    assert_int_equal(end.exit_code, 5);
    session_done(&session, &end);
}

/* nohup has it ignored. */
static void given_a_signal_that_is_ignored_when_it_comes_then_the_call_goes_on(void **state) {
    (void)state;
    struct session session;
    const struct session_options options = {
        .words = CALL_OF("error", "working", "hang"), .has_terminal = true, .shows_output = true};
    signal(SIGHUP, SIG_IGN);
    bool is_started = session_start(&session, &options);
    signal(SIGHUP, SIG_DFL);
    assert_true(is_started && session_wait_for(&session, "working"));
    kill(session.pid, SIGHUP);
    kill(session.pid, SIGTERM);
    struct session_end end = session_wait(&session);
    assert_int_equal(end.exit_code, 128 + SIGTERM);
    session_done(&session, &end);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            given_protocol_2025_11_25_when_a_tool_is_called_over_stdio_then_ids_are_1_2_3),
        cmocka_unit_test(given_a_server_that_refuses_the_probe_when_asked_then_hands_are_shaken),
        cmocka_unit_test(given_a_late_answer_to_the_probe_when_it_comes_then_the_next_gets_its_own),
        cmocka_unit_test(given_a_hostile_command_when_called_then_the_problem_is_named),
        cmocka_unit_test(given_a_flood_of_errors_when_called_then_the_result_comes_all_the_same),
        cmocka_unit_test(given_large_arguments_when_called_then_all_of_them_arrive),
        cmocka_unit_test(given_no_such_command_when_started_then_it_is_named),
        cmocka_unit_test(given_an_answer_sent_when_the_command_dies_then_the_outcome_is_unknown),
        cmocka_unit_test(given_the_handshake_era_when_the_command_asks_then_it_is_answered),
        cmocka_unit_test(
            given_the_handshake_era_when_a_second_answer_is_missing_then_the_outcome_is_unknown),
        cmocka_unit_test(given_a_result_when_it_cant_be_printed_then_a_call_is_not_called_failed),
        cmocka_unit_test(given_a_call_under_way_when_interrupted_then_the_command_ends_too),
        cmocka_unit_test(given_a_stubborn_command_when_its_caller_is_ended_then_it_ends_too),
        cmocka_unit_test(given_an_answer_sent_when_the_caller_is_ended_then_the_outcome_is_unknown),
        cmocka_unit_test(given_a_signal_that_is_ignored_when_it_comes_then_the_call_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
