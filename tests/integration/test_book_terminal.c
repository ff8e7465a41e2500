/* "tandem book" with a person at a terminal, Ctrl-C included. */
#include "book_replies.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define CTRL_C "\x03"
#define CTRL_D "\x04"
#define PROMPT "> "

static const struct script_step booked[] = {{.reply = ROW_BYTES(QUESTION)},
                                            {.reply = ROW_BYTES(BOOKED)}};
static const struct script_step declined[] = {{.reply = ROW_BYTES(QUESTION)},
                                              {.reply = ROW_BYTES(NOT_BOOKED)}};

/* A person, and the server that they talk to. */
struct visit {
    struct scripted_server *server;
    struct session session;
};

static void start(struct visit *visit, const struct script_step *steps, size_t count) {
    visit->server = scripted_server_start(steps, count);
    assert_non_null(visit->server);
}

static void run(struct visit *visit, const char *const *words, bool shows_output) {
    const struct session_options options = {
        .words = words, .has_terminal = true, .shows_output = shows_output};
    assert_true(session_start(&visit->session, &options));
}

static void see(struct visit *visit, const char *text) {
    if (!session_wait_for(&visit->session, text))
        fail_msg("the terminal doesn't show \"%s\" but:\n%s", text,
                 visit->session.screen.data == NULL ? "" : (char *)visit->session.screen.data);
}

/* Waits for the end, and expects this exit code, and that text in the body of round two; NULL: no
 * round two. */
static void expect_end(struct visit *visit, int exit_code, const char *sent) {
    struct session_end end = session_wait(&visit->session);
    if (end.exit_code != exit_code)
        fail_msg("exit code %d instead of %d\n%s%s%s", end.exit_code, exit_code, end.screen,
                 end.out, end.error);
    session_done(&visit->session, &end);
    scripted_server_stop(visit->server);
    size_t connections = scripted_server_connections(visit->server);
    const char *body = (const char *)scripted_server_body(visit->server, 1).data;
    if (sent == NULL)
        assert_true(connections < 2);
    else if (connections != 2 || body == NULL || strstr(body, sent) == NULL)
        fail_msg("\"%s\" is not sent in round two", sent);
    scripted_server_free(visit->server);
}

static void given_a_question_when_shown_then_its_choices_have_numbers(void **state) {
    (void)state;
    struct visit visit;
    start(&visit, booked, 2);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK("--timeout", "60"), true);
    see(&visit,
        "Which time suits you?\r\n  1  sat-10:30\r\n  2  sat-11:30\r\n  d  none of these\r\n"
        "  q  leave without answering\r\n" PROMPT);
    session_type(&visit.session, "1\n");
    see(&visit, "sat-10:30 is yours.\r\n");
    expect_end(&visit, 0, "{\"time\":\"sat-10:30\"}");
}

static void given_a_question_when_a_line_is_typed_then_it_is_understood(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        const char *sent; /* NULL: no round two */
        int exit_code;
    } rows[] = {
        {"1\n", "{\"time\":\"sat-10:30\"}", 0},
        {"2\n", "{\"time\":\"sat-11:30\"}", 0},
        {"sat-11:30\n", "{\"time\":\"sat-11:30\"}", 0},
        {"  sat-11:30\t\n", "{\"time\":\"sat-11:30\"}", 0},
        {" 002 \n", "{\"time\":\"sat-11:30\"}", 0},
        {"d\n", "\"action\":\"decline\"", 3},
        {"q\n", NULL, 3},
        {CTRL_D, NULL, 3},
        {"2" CTRL_D CTRL_D, "{\"time\":\"sat-11:30\"}", 0},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct visit visit;
        const struct script_step steps[] = {
            {.reply = ROW_BYTES(QUESTION)},
            rows[i].exit_code == 0 ? (struct script_step){.reply = ROW_BYTES(BOOKED)}
                                   : (struct script_step){.reply = ROW_BYTES(NOT_BOOKED)}};
        start(&visit, steps, 2);
        const char *url = scripted_server_url(visit.server);
        run(&visit, BOOK("--timeout", "60"), true);
        see(&visit, PROMPT);
        session_type(&visit.session, rows[i].keys);
        expect_end(&visit, rows[i].exit_code, rows[i].sent);
    }
}

static void given_lines_that_are_no_choice_when_typed_then_it_asks_again(void **state) {
    (void)state;
    static const char *const lines[] = {
        "", "3", "0", "-1", "+1", "1.0", "sat", "D", "Q", "1 2", "99999999999999999999"};
    struct visit visit;
    start(&visit, declined, 2);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK("--timeout", "60"), true);
    for (size_t i = 0; i < LENGTH_OF(lines); i++) {
        char text[128];
        see(&visit, PROMPT);
        session_type(&visit.session, lines[i]);
        session_type(&visit.session, "\n");
        snprintf(text, sizeof text,
                 "\"%s\" is not a choice: answer with a number from 1 to 2, the time itself, d or "
                 "q\r\n",
                 lines[i]);
        see(&visit, text);
    }
    see(&visit, PROMPT);
    session_type(&visit.session, "d\n");
    expect_end(&visit, 3, "\"action\":\"decline\"");
}

static void given_choices_named_like_keys_when_typed_then_their_own_text_wins(void **state) {
    (void)state;
    static const char *const keys[] = {"2", "d", "q", "1"};
    /* "2" is the first time, "1" the last. */
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(QUESTION_OF("Which?", "\"2\",\"d\",\"q\",\"1\""))},
        {.reply = ROW_BYTES(NOT_BOOKED)}};
    for (size_t i = 0; i < LENGTH_OF(keys); i++) {
        struct visit visit;
        char line[8];
        char sent[32];
        snprintf(line, sizeof line, "%s\n", keys[i]);
        snprintf(sent, sizeof sent, "{\"time\":\"%s\"}", keys[i]);
        start(&visit, steps, 2);
        run(&visit,
            (const char *const[]){"book", scripted_server_url(visit.server), "elm", "x", "--slot",
                                  "2", "--slot", "d", "--slot", "q", "--slot", "1", NULL},
            true);
        see(&visit, PROMPT);
        session_type(&visit.session, line);
        expect_end(&visit, 3, sent);
    }
}

static void
given_a_question_with_control_characters_when_shown_then_they_are_escaped(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(
             QUESTION_OF("\\u001b[2JWhich?\\r\\n", "\"a\\u001b]0;x\\u0007\",\"\xC2\x9B\""))}};
    struct visit visit;
    start(&visit, steps, 1);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK("--timeout", "60"), true);
    see(&visit, "\\u001b[2JWhich?\\r\\n\r\n  1  a\\u001b]0;x\\u0007\r\n  2  \\u009b\r\n");
    see(&visit, PROMPT);
    session_type(&visit.session, "q\n");
    expect_end(&visit, 3, NULL);
}

static void given_no_answer_when_left_then_it_says_that_nothing_is_booked(void **state) {
    (void)state;
    struct visit visit;
    start(&visit, booked, 2);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK("--timeout", "60"), true);
    see(&visit, PROMPT);
    session_type(&visit.session, "q\n");
    see(&visit, "No answer was given, so nothing is booked.\r\n");
    expect_end(&visit, 3, NULL);
}

static void given_output_to_a_file_when_asked_then_the_question_is_on_the_terminal(void **state) {
    (void)state;
    struct visit visit;
    start(&visit, booked, 2);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK("--json"), false);
    see(&visit, "Which time suits you?\r\n");
    see(&visit, PROMPT);
    session_type(&visit.session, "1\n");
    struct session_end end = session_wait(&visit.session);
    assert_int_equal(end.exit_code, 0);
    assert_string_equal(
        end.out,
        "{\"status\":\"booked\",\"slot\":\"sat-10:30\",\"say\":\"sat-10:30 is yours.\"}\n");
    assert_string_equal(end.error, "");
    session_done(&visit.session, &end);
    scripted_server_free(visit.server);
}

static void
given_slots_on_standard_input_when_asked_then_the_person_is_at_the_terminal(void **state) {
    (void)state;
    struct visit visit;
    start(&visit, booked, 2);
    const char *url = scripted_server_url(visit.server);
    const struct session_options options = {.words = BOOK_FROM("-", "--timeout", "60"),
                                            .has_terminal = true,
                                            .input = "sat-10:30\r\n\r\nsat-11:30"};
    assert_true(session_start(&visit.session, &options));
    see(&visit, PROMPT);
    session_type(&visit.session, "1\n");
    struct session_end end = session_wait(&visit.session);
    assert_int_equal(end.exit_code, 0);
    assert_string_equal(end.out, "sat-10:30 is yours.\n");
    session_done(&visit.session, &end);
    scripted_server_stop(visit.server);
    assert_non_null(strstr((const char *)scripted_server_body(visit.server, 1).data,
                           "\"openSlots\":[\"sat-10:30\",\"sat-11:30\"]"));
    scripted_server_free(visit.server);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void
given_a_slot_taken_while_the_person_thinks_when_chosen_then_it_is_declined(void **state) {
    (void)state;
    struct visit visit;
    char path[64];
    assert_true(session_file(path, "sat-10:30\nsat-11:30\n"));
    start(&visit, declined, 2);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK_FROM(path, "--timeout", "60"), true);
    see(&visit, PROMPT);
    write_file(path, "sat-11:30\n");
    session_type(&visit.session, "1\n");
    see(&visit, "sat-10:30 was taken meanwhile. Pick another time?\r\n");
    expect_end(&visit, 4, "\"action\":\"decline\"");
    unlink(path);
}

static void
given_another_slot_taken_while_the_person_thinks_when_chosen_then_it_is_booked(void **state) {
    (void)state;
    struct visit visit;
    char path[64];
    assert_true(session_file(path, "sat-10:30\nsat-11:30\n"));
    start(&visit, booked, 2);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK_FROM(path, "--timeout", "60"), true);
    see(&visit, PROMPT);
    write_file(path, "sat-10:30\n");
    session_type(&visit.session, "1\n");
    see(&visit, "sat-10:30 is yours.\r\n");
    /* Round two carries the booking of round one all the same. */
    expect_end(&visit, 0, "\"openSlots\":[\"sat-10:30\",\"sat-11:30\"]");
    unlink(path);
}

static void given_the_prompt_when_interrupted_then_nothing_is_sent(void **state) {
    (void)state;
    struct visit visit;
    start(&visit, booked, 2);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK("--timeout", "60"), true);
    see(&visit, PROMPT);
    session_type(&visit.session, "1" CTRL_C);
    expect_end(&visit, 130, NULL);
}

static void given_round_one_under_way_when_interrupted_then_it_ends_at_once(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.end = SCRIPT_HOLD}};
    struct visit visit;
    start(&visit, steps, 1);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK("--timeout", "3600"), true);
    assert_true(scripted_server_wait(visit.server, 1));
    session_type(&visit.session, CTRL_C);
    expect_end(&visit, 130, NULL);
}

static void given_round_two_under_way_when_interrupted_then_the_visit_may_be_booked(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.end = SCRIPT_HOLD}};
    struct visit visit;
    start(&visit, steps, 2);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK("--timeout", "3600"), true);
    see(&visit, PROMPT);
    session_type(&visit.session, "1\n");
    assert_true(scripted_server_wait(visit.server, 2));
    session_type(&visit.session, CTRL_C);
    see(&visit, "round two: the server gave no reply\r\nthe visit may be booked; ask the salon "
                "before trying again\r\n");
    expect_end(&visit, 5, "{\"time\":\"sat-10:30\"}");
}

/* Without a terminal: the signal itself, as "kill -INT" sends it. */
static void
given_a_script_when_interrupted_in_round_two_then_the_visit_may_be_booked(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.end = SCRIPT_HOLD}};
    struct visit visit;
    start(&visit, steps, 2);
    const char *url = scripted_server_url(visit.server);
    const struct session_options options = {.words = BOOK("--answer", "sat-10:30")};
    assert_true(session_start(&visit.session, &options));
    assert_true(scripted_server_wait(visit.server, 2));
    kill(visit.session.pid, SIGINT);
    struct session_end end = session_wait(&visit.session);
    assert_int_equal(end.exit_code, 5);
    assert_string_equal(end.error, "round two: the server gave no reply\n" MAY_BE_BOOKED);
    session_done(&visit.session, &end);
    scripted_server_free(visit.server);
}

static void given_slots_typed_at_the_terminal_when_interrupted_then_nothing_is_sent(void **state) {
    (void)state;
    struct visit visit;
    start(&visit, booked, 2);
    const char *url = scripted_server_url(visit.server);
    run(&visit, BOOK_FROM("-", "--timeout", "60"), true);
    session_type(&visit.session, "sat-10:30\n");
    assert_true(session_wait_for_care(&visit.session));
    session_type(&visit.session, CTRL_C);
    struct session_end end = session_wait(&visit.session);
    assert_int_equal(end.exit_code, 130);
    session_done(&visit.session, &end);
    scripted_server_stop(visit.server);
    assert_int_equal(scripted_server_connections(visit.server), 0);
    scripted_server_free(visit.server);
}

static void given_the_real_server_when_a_person_chooses_then_the_visit_is_booked(void **state) {
    struct visit visit;
    const char *url = url_of(*state);
    run(&visit, BOOK("--timeout", "60"), true);
    see(&visit, "Which time suits you?\r\n  1  sat-10:30\r\n  2  sat-11:30\r\n");
    see(&visit, PROMPT);
    session_type(&visit.session, "2\n");
    see(&visit, "sat-11:30 is yours.\r\n");
    struct session_end end = session_wait(&visit.session);
    assert_int_equal(end.exit_code, 0);
    session_done(&visit.session, &end);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_question_when_shown_then_its_choices_have_numbers),
        cmocka_unit_test(given_a_question_when_a_line_is_typed_then_it_is_understood),
        cmocka_unit_test(given_lines_that_are_no_choice_when_typed_then_it_asks_again),
        cmocka_unit_test(given_choices_named_like_keys_when_typed_then_their_own_text_wins),
        cmocka_unit_test(given_a_question_with_control_characters_when_shown_then_they_are_escaped),
        cmocka_unit_test(given_no_answer_when_left_then_it_says_that_nothing_is_booked),
        cmocka_unit_test(given_output_to_a_file_when_asked_then_the_question_is_on_the_terminal),
        cmocka_unit_test(
            given_slots_on_standard_input_when_asked_then_the_person_is_at_the_terminal),
        cmocka_unit_test(
            given_a_slot_taken_while_the_person_thinks_when_chosen_then_it_is_declined),
        cmocka_unit_test(
            given_another_slot_taken_while_the_person_thinks_when_chosen_then_it_is_booked),
        cmocka_unit_test(given_the_prompt_when_interrupted_then_nothing_is_sent),
        cmocka_unit_test(given_round_one_under_way_when_interrupted_then_it_ends_at_once),
        cmocka_unit_test(given_round_two_under_way_when_interrupted_then_the_visit_may_be_booked),
        cmocka_unit_test(given_a_script_when_interrupted_in_round_two_then_the_visit_may_be_booked),
        cmocka_unit_test(given_slots_typed_at_the_terminal_when_interrupted_then_nothing_is_sent),
        SCENARIO(given_the_real_server_when_a_person_chooses_then_the_visit_is_booked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
