/* "tandem mcp" with a person at a terminal, who fills in forms. */
#include "mcp_replies.h"

#include "deadline.h"

#include <stdio.h>
#include <string.h>

#define PROMPT "> "

/* A person, and the server that asks them. */
struct visit {
    struct scripted_server *server;
    struct session session;
    struct script_step steps[3];
};

static void start(struct visit *visit, struct bytes question, const char *more) {
    visit->steps[0] = (struct script_step){.reply = BYTES(JSON_REPLY(MCP_TOOLS("1")))};
    visit->steps[1] = (struct script_step){.reply = question};
    visit->steps[2] = (struct script_step){.reply = BYTES(JSON_REPLY(MCP_SAYS("3", "ok")))};
    visit->server = scripted_server_start(visit->steps, 3);
    assert_non_null(visit->server);
    const struct session_options options = {
        .words = (const char *const[]){"mcp", "call", scripted_server_url(visit->server), "book",
                                       "{}", "--protocol", "2026-07-28", more, NULL},
        .has_terminal = true,
        .shows_output = true};
    assert_true(session_start(&visit->session, &options));
}

static void see(struct visit *visit, const char *text) {
    if (!session_wait_for(&visit->session, text))
        fail_msg("the terminal doesn't show \"%s\" but:\n%s", text,
                 visit->session.screen.data == NULL ? "" : (char *)visit->session.screen.data);
}

/* Waits for the prompt and types a line. */
static void type(struct visit *visit, const char *line) {
    see(visit, PROMPT);
    session_type(&visit->session, line);
    session_type(&visit->session, "\n");
}

/* Waits for the end, and expects this exit code, and that text in the third request; NULL: there is
 * none. */
static void expect_end(struct visit *visit, int exit_code, const char *sent) {
    struct session_end end = session_wait(&visit->session);
    if (end.exit_code != exit_code)
        fail_msg("exit code %d instead of %d\n%s", end.exit_code, exit_code, end.screen);
    session_done(&visit->session, &end);
    scripted_server_stop(visit->server);
    const char *body = (const char *)scripted_server_body(visit->server, 2).data;
    if (sent == NULL)
        assert_int_equal(scripted_server_connections(visit->server), 2);
    else if (body == NULL || strstr(body, sent) == NULL)
        fail_msg("\"%s\" is not sent but: %s", sent, body == NULL ? "nothing" : body);
    scripted_server_free(visit->server);
}

#define ASKING(message, properties, required)                                                      \
    BYTES(JSON_REPLY(MCP_ASKS("2", MCP_ELICITATION(message, properties, required), "")))

static void given_a_form_when_a_person_fills_it_in_then_each_answer_is_checked(void **state) {
    (void)state;
    struct visit visit;
    start(&visit,
          ASKING("Who\\u001b[2J\\nare you?",
                 "\"name\":{\"type\":\"string\",\"title\":\"Your name\",\"description\":\"In "
                 "full\",\"minLength\":2},"
                 "\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":150,\"default\":30},"
                 "\"agree\":{\"type\":\"boolean\"},"
                 "\"colour\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"r\",\"title\":\"Red\"},{"
                 "\"const\":\"g\",\"title\":\"Green\\u0007\"}]},"
                 "\"days\":{\"type\":\"array\",\"items\":{\"enum\":[\"mon\",\"tue\"]},"
                 "\"minItems\":1},"
                 "\"mail\":{\"type\":\"string\",\"format\":\"email\"}",
                 "\"name\",\"agree\",\"days\""),
          NULL);
    see(&visit,
        " asks:\r\n  Who\\u001b[2J\r\n  are you?\r\n(/decline declines, /cancel leaves)\r\n");
    see(&visit, "Your name (a text): In full\r\n");
    type(&visit, "");
    see(&visit, "it needs an answer\r\n");
    type(&visit, "A");
    see(&visit, "its characters must be 2 at least\r\n");
    type(&visit, "Ann");
    see(&visit, "age (a whole number; may be left out)\r\n[30] ");
    type(&visit, "200");
    see(&visit, "it must be a whole number from 0 to 150\r\n");
    type(&visit, "");
    see(&visit, "agree (yes or no)\r\n");
    type(&visit, "perhaps");
    see(&visit, "it must be yes or no\r\n");
    type(&visit, "y");
    see(&visit, "colour (one of; may be left out)\r\n  1  Red\r\n  2  Green\\u0007\r\n");
    type(&visit, "2");
    see(&visit, "days (any of, with commas between)\r\n  1  mon\r\n  2  tue\r\n");
    type(&visit, "mon,2");
    see(&visit, "mail (an e-mail address; may be left out)\r\n");
    type(&visit, "ann");
    see(&visit, "it must be an e-mail address\r\n");
    type(&visit, "");
    see(&visit, "ok\r\n");
    expect_end(&visit, 0,
               "\"q\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\",\"age\":30,\"agree\":"
               "true,\"colour\":\"g\",\"days\":[\"mon\",\"tue\"]}}");
}

static void given_a_form_when_a_person_will_not_then_it_is_declined_or_cancelled(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        const char *sent; /* NULL: nothing */
        int exit_code;
    } rows[] = {
        {"/decline\n", "{\"q\":{\"action\":\"decline\"}}", 3},
        {"/cancel\n", "{\"q\":{\"action\":\"cancel\"}}", 3},
        {"\x04", "{\"q\":{\"action\":\"cancel\"}}", 3},
        {"\x03", NULL, 130},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct visit visit;
        start(&visit, ASKING("Which?", "\"a\":{\"type\":\"string\"}", ""), NULL);
        see(&visit, PROMPT);
        session_type(&visit.session, rows[i].keys);
        expect_end(&visit, rows[i].exit_code, rows[i].sent);
    }
}

static void given_a_form_without_fields_when_asked_then_it_is_agreed_to_or_not(void **state) {
    (void)state;
    for (int agrees = 0; agrees <= 1; agrees++) {
        struct visit visit;
        start(&visit, ASKING("Really?", "", ""), NULL);
        type(&visit, agrees == 1 ? "yes" : "no");
        expect_end(&visit, agrees == 1 ? 0 : 3,
                   agrees == 1 ? "{\"q\":{\"action\":\"accept\",\"content\":{}}}"
                               : "{\"q\":{\"action\":\"decline\"}}");
    }
}

static void given_a_named_server_when_it_asks_then_its_name_and_address_are_shown(void **state) {
    (void)state;
    const struct session_options options = {.words =
                                                (const char *const[]){"mcp",
                                                                      "call",
                                                                      "--stdio",
                                                                      "book",
                                                                      "{}",
                                                                      "--",
                                                                      FAKE_COMMAND,
                                                                      "read",
                                                                      "discover",
                                                                      "say",
                                                                      MCP_DISCOVERED,
                                                                      "read",
                                                                      "tools/list",
                                                                      "say",
                                                                      MCP_TOOLS("2"),
                                                                      "read",
                                                                      "tools/call",
                                                                      "say",
                                                                      MCP_ASKS("3", MCP_TIME, ""),
                                                                      "read",
                                                                      "\"time\":\"b\"",
                                                                      "say",
                                                                      MCP_SAYS("4", "booked"),
                                                                      NULL},
                                            .has_terminal = true,
                                            .shows_output = true};
    struct session session;
    assert_true(session_start(&session, &options));
    assert_true(session_wait_for(&session, "fake\\u001b (" FAKE_COMMAND " read discover say "));
    assert_true(session_wait_for(&session, ") asks:\r\n  Which time?\r\n"));
    assert_true(session_wait_for(&session, PROMPT));
    session_type(&session, "2\n");
    assert_true(session_wait_for(&session, "booked\r\n"));
    struct session_end end = session_wait(&session);
    assert_int_equal(end.exit_code, 0);
    session_done(&session, &end);
}

/* A person's time isn't the server's. */
static void given_the_handshake_era_when_a_person_takes_long_then_the_stream_goes_on(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(JSON_REPLY(MCP_INITIALIZED("1")))},
        {.reply = ROW_BYTES("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")},
        {.reply = ROW_BYTES(JSON_REPLY(MCP_TOOLS("2")))},
        {.reply = ROW_BYTES(
             MCP_STREAM(MCP_EVENT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\","
                                  "\"params\":" MCP_TIME "}"))),
         .end = SCRIPT_NEST,
         .rest = ROW_BYTES(MCP_EVENT(MCP_SAYS("3", "booked")))},
        {.reply = ROW_BYTES("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"),
         .is_held_back = true},
    };
    struct scripted_server *server = scripted_server_start(steps, LENGTH_OF(steps));
    assert_non_null(server);
    const struct session_options options = {
        .words = (const char *const[]){"mcp", "call", scripted_server_url(server), "book", "{}",
                                       "--protocol", "2025-11-25", "--timeout", "1", NULL},
        .has_terminal = true,
        .shows_output = true};
    struct session session;
    assert_true(session_start(&session, &options));
    assert_true(session_wait_for(&session, PROMPT));
    /* Longer than the limit: what is waited for never comes. */
    struct deadline deadline = deadline_in(1500);
    while (deadline_left(deadline) > 0)
        deadline_wait_readable(deadline, -1);
    session_type(&session, "a\n");
    assert_true(scripted_server_wait(server, 5));
    scripted_server_release(server);
    assert_true(session_wait_for(&session, "booked\r\n"));
    struct session_end end = session_wait(&session);
    assert_int_equal(end.exit_code, 0);
    session_done(&session, &end);
    scripted_server_free(server);
}

static void given_output_to_a_file_when_asked_then_only_the_result_is_in_it(void **state) {
    (void)state;
    struct visit visit = {.server = NULL};
    visit.steps[0] = (struct script_step){.reply = BYTES(JSON_REPLY(MCP_TOOLS("1")))};
    visit.steps[1] =
        (struct script_step){.reply = ASKING("Which?", "\"a\":{\"type\":\"string\"}", "")};
    visit.steps[2] = (struct script_step){.reply = BYTES(JSON_REPLY(MCP_SAYS("3", "ok")))};
    visit.server = scripted_server_start(visit.steps, 3);
    assert_non_null(visit.server);
    const struct session_options options = {
        .words = (const char *const[]){"mcp", "call", scripted_server_url(visit.server), "book",
                                       "{}", "--protocol", "2026-07-28", NULL},
        .has_terminal = true};
    assert_true(session_start(&visit.session, &options));
    type(&visit, "x");
    struct session_end end = session_wait(&visit.session);
    assert_int_equal(end.exit_code, 0);
    assert_string_equal(end.out, "ok\n");
    session_done(&visit.session, &end);
    scripted_server_free(visit.server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_form_when_a_person_fills_it_in_then_each_answer_is_checked),
        cmocka_unit_test(given_a_form_when_a_person_will_not_then_it_is_declined_or_cancelled),
        cmocka_unit_test(given_a_form_without_fields_when_asked_then_it_is_agreed_to_or_not),
        cmocka_unit_test(given_a_named_server_when_it_asks_then_its_name_and_address_are_shown),
        cmocka_unit_test(given_the_handshake_era_when_a_person_takes_long_then_the_stream_goes_on),
        cmocka_unit_test(given_output_to_a_file_when_asked_then_only_the_result_is_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
