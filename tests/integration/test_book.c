/* "tandem book" as a script runs it: no terminal, against servers that play a script, and against
 * the real one. */
#include "book_replies.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct scripted_server *serve(const struct script_step *steps, size_t count) {
    struct scripted_server *server = scripted_server_start(steps, count);
    assert_non_null(server);
    return server;
}

/* Answers "sat-10:30" to a server that plays the steps, and expects that. */
static void expect_answered(const char *name, const struct script_step *steps, size_t count,
                            int exit_code, const char *out, const char *error) {
    struct scripted_server *server = serve(steps, count);
    const char *url = scripted_server_url(server);
    const struct session_options options = {.words = BOOK("--answer", "sat-10:30")};
    session_expect(name, &options, exit_code, out, error);
    scripted_server_free(server);
}

static void given_the_real_server_when_answered_then_the_visit_is_booked(void **state) {
    const char *url = url_of(*state);
    const struct session_options answered = {.words = BOOK("--answer", "sat-11:30")};
    session_expect("answered", &answered, 0, "sat-11:30 is yours.\n", "");
    const struct session_options as_json = {.words = BOOK("--answer", "sat-10:30", "--json")};
    session_expect(
        "as JSON", &as_json, 0,
        "{\"status\":\"booked\",\"slot\":\"sat-10:30\",\"say\":\"sat-10:30 is yours.\"}\n", "");
    const struct session_options odd = {
        .words = (const char *const[]){"book", url,
                                       "elm/str\xC3\xA9"
                                       "et ?+%2F",
                                       "\n\"\\\x7F", "--slot", "\x01\xE2\x80\xA8", "--answer",
                                       "\x01\xE2\x80\xA8", NULL}};
    session_expect("odd texts", &odd, 0, "\\u0001\\u2028 is yours.\n", "");
}

static void given_the_real_server_when_declined_then_nothing_is_booked(void **state) {
    const char *url = url_of(*state);
    const struct session_options declined = {.words = BOOK("--decline")};
    session_expect("declined", &declined, 3, "No time was chosen, so nothing is booked.\n", "");
    const struct session_options as_json = {.words = BOOK("--decline", "--json")};
    session_expect(
        "as JSON", &as_json, 3,
        "{\"status\":\"not_booked\",\"slot\":null,\"say\":\"No time was chosen, so nothing is "
        "booked.\"}\n",
        "");
    const struct session_options none = {
        .words = (const char *const[]){"book", url, "elm-street", "a trim", "--decline", NULL}};
    session_expect("no slots", &none, 3, "Nothing is open then, so the salon will call you.\n", "");
}

static void given_the_real_server_when_it_refuses_then_its_status_is_named(void **state) {
    const char *url = url_of(*state);
    char salon[300];
    memset(salon, 'x', sizeof salon);
    salon[sizeof salon - 1] = '\0';
    const struct session_options options = {
        .words = (const char *const[]){"book", url, salon, "x", "--decline", NULL}};
    session_expect("a long salon", &options, 1, "", "round one: the server refused it (400)\n");
}

static void
given_a_question_when_answered_then_the_retry_carries_the_same_booking_the_answer_and_the_state_untouched(
    void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.reply = ROW_BYTES(BOOKED)}};
    struct scripted_server *server = serve(steps, 2);
    const char *url = scripted_server_url(server);
    const struct session_options options = {.words = BOOK("--answer", "sat-10:30")};
    session_expect("answered", &options, 0, "sat-10:30 is yours.\n", "");
    scripted_server_stop(server);
    assert_int_equal(scripted_server_connections(server), 2);
#define BOOKING                                                                                    \
    "{\"arguments\":{\"message\":\"a trim\",\"openSlots\":[\"sat-10:30\",\"sat-11:30\"]}"
    assert_true(bytes_equal(scripted_server_body(server, 0), BYTES(BOOKING "}")));
    assert_true(bytes_equal(
        scripted_server_body(server, 1),
        BYTES(BOOKING ",\"inputResponses\":{\"time\":{\"action\":\"accept\",\"content\":{\"time\":"
                      "\"sat-10:30\"}}},\"requestState\":\"{\\\"goodUntil\\\":1}.ab\"}")));
    scripted_server_free(server);
}

static void given_a_question_when_declined_then_it_books_nothing(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.reply = ROW_BYTES(NOT_BOOKED)}};
    struct scripted_server *server = serve(steps, 2);
    const char *url = scripted_server_url(server);
    const struct session_options options = {.words = BOOK("--decline")};
    session_expect("declined", &options, 3, "No time was chosen, so nothing is booked.\n", "");
    scripted_server_stop(server);
    assert_non_null(strstr((const char *)scripted_server_body(server, 1).data,
                           "\"inputResponses\":{\"time\":{\"action\":\"decline\"}}"));
    scripted_server_free(server);
}

static void given_a_second_question_when_it_comes_then_it_stops_with_a_clear_error(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.reply = ROW_BYTES(QUESTION)}};
    expect_answered("asked again", steps, LENGTH_OF(steps), 1, "",
                    "round two: the server asked again\n");
}

static void given_a_server_that_is_down_when_booking_then_it_says_so(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(QUESTION), .is_last = true}, /* and down from then on */
    };
    struct scripted_server *server = serve(steps, 1);
    const char *url = scripted_server_url(server);
    const struct session_options options = {.words = BOOK("--answer", "sat-10:30")};
    static const char *const rounds[] = {"two", "one"};
    for (size_t i = 0; i < 2; i++) {
        struct session session;
        assert_true(session_start(&session, &options));
        struct session_end end = session_wait(&session);
        char line[64];
        snprintf(line, sizeof line, "round %s: the server gave no reply\n", rounds[i]);
        assert_int_equal(end.exit_code, 1);
        assert_string_equal(end.out, "");
        assert_ptr_equal(strstr(end.error, line), end.error);
        assert_null(strstr(end.error, "may be booked"));
        session_done(&session, &end);
    }
    scripted_server_free(server);
}

/* One bad reply, in either round. */
struct bad_reply {
    const char *name;
    struct script_step step;
    const char *problem; /* after the prefix */
    const char *more;    /* a line that follows in both rounds, or "" */
    bool may_be_booked;  /* in round two */
};

static const struct bad_reply bad_replies[] = {
    {"refused",
     {.reply = ROW_BYTES(WITH_STATUS("400 Bad Request", "application/json", "\"secret\""))},
     "the server refused it (400)",
     "",
     false},
    {"refused in plain text",
     {.reply = ROW_BYTES(WITH_STATUS("415 Unsupported Media Type", "text/plain", "secret words"))},
     "the server refused it (415)",
     "",
     false},
    {"refused with a booking",
     {.reply = ROW_BYTES(
          "HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\n\r\n"
          "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"secret\",\"slot\":"
          "\"sat-10:30\",\"status\":\"booked\"}}")},
     "the server refused it (409)",
     "",
     false},
    {"unavailable",
     {.reply = ROW_BYTES(WITH_STATUS("503 Service Unavailable", "application/json", "\"secret\""))},
     "the server refused it (503)",
     "",
     true},
    {"redirected",
     {.reply =
          ROW_BYTES("HTTP/1.1 302 Found\r\nLocation: http://elsewhere/\x1B[31m\x7F\xC2\x9B\xFF\r\n"
                    "Content-Length: 0\r\n\r\n")},
     "the server refused it (302)",
     "it pointed to http://elsewhere/\\u001b[31m\\u007f\\u009b\\xff\n",
     false},
    {"JSON that doesn't parse",
     {.reply = ROW_BYTES(JSON_REPLY("{\"secret\":"))},
     "the reply can't be read",
     "",
     true},
    {"a short body",
     {.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                         "50\r\n\r\n{\"resultType\":\"comple")},
     "the reply can't be read",
     "",
     true},
    {"an empty body",
     {.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                         "0\r\n\r\n")},
     "the reply can't be read",
     "",
     true},
    {"not labelled JSON",
     {.reply = ROW_BYTES(WITH_STATUS("200 OK", "text/html", "<p>secret"))},
     "unknown resultType undefined",
     "",
     true},
    {"an unknown result type",
     {.reply = ROW_BYTES(JSON_REPLY("{\"resultType\":\"maybe\"}"))},
     "unknown resultType \"maybe\"",
     "",
     true},
    {"control characters in a type",
     {.reply = ROW_BYTES(JSON_REPLY("{\"resultType\":\"\\u001b[2J\x7F\xC2\x9B\xE2\x80\xAE\"}"))},
     "unknown resultType \"\\u001b[2J\\u007f\\u009b\\u202e\"",
     "",
     true},
    {"no content",
     {.reply = ROW_BYTES(JSON_REPLY("{\"resultType\":\"complete\"}"))},
     "structuredContent is not a booking",
     "",
     true},
};

static void check_bad_reply(const struct bad_reply *row, size_t round) {
    const struct script_step steps[3] = {
        round == 1 ? row->step : (struct script_step){.reply = ROW_BYTES(QUESTION)}, row->step,
        row->step};
    bool may_be_booked = round == 2 && row->may_be_booked;
    char error[512];
    snprintf(error, sizeof error, "round %s: %s\n%s%s", round == 1 ? "one" : "two", row->problem,
             may_be_booked ? MAY_BE_BOOKED : "", row->more);
    expect_answered(row->name, steps, LENGTH_OF(steps), may_be_booked ? 5 : 1, "", error);
}

static void
given_a_bad_reply_in_either_round_when_it_comes_then_the_problem_is_named_and_no_body_kept(
    void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH_OF(bad_replies); i++) {
        check_bad_reply(&bad_replies[i], 1);
        check_bad_reply(&bad_replies[i], 2);
    }
}

static void given_a_problem_when_json_is_asked_for_then_it_is_printed_as_json(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(JSON_REPLY("{\"resultType\":\"\\n\x7F\xC2\x9B\"}"))}};
    struct scripted_server *server = serve(steps, 1);
    const char *url = scripted_server_url(server);
    const struct session_options options = {.words = BOOK("--decline", "--json")};
    session_expect("as JSON", &options, 1,
                   "{\"problem\":\"round one: unknown resultType \\\"\\\\n\\u007f\\u009b\\\"\"}\n",
                   "round one: unknown resultType \"\\n\\u007f\\u009b\"\n");
    scripted_server_free(server);
}

/* The question with a length, so that its connection can be kept open. */
static struct bytes question_with_length(char text[1024]) {
    const char *body = strstr(QUESTION, "\r\n\r\n") + 4;
    int size = snprintf(text, 1024,
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                        "%zu\r\n\r\n%s",
                        strlen(body), body);
    return (struct bytes){(unsigned char *)text, (size_t)size};
}

/* The header's line in a request that came. */
static const char *key_of(struct scripted_server *server, size_t index, char line[64]) {
    const char *text = (const char *)scripted_server_request(server, index).data;
    const char *key = strstr(text, "\r\nIdempotency-Key: ");
    snprintf(line, 64, "%.*s", key == NULL ? 0 : (int)strcspn(key + 2, "\r"),
             key == NULL ? "" : key + 2);
    return line;
}

/* Case H1: not behind the caller's back, but once more under its key, which says that it is the
 * same answer. */
static void
given_a_server_that_reads_round_two_and_closes_when_booking_then_it_is_sent_once_more_with_its_key(
    void **state) {
    (void)state;
    static const enum script_end ends[] = {SCRIPT_CLOSE, SCRIPT_RESET};
    char keys[LENGTH_OF(ends)][64];
    for (size_t i = 0; i < LENGTH_OF(ends); i++) {
        char text[1024];
        char again[64];
        const struct script_step steps[] = {
            {.reply = question_with_length(text), .end = SCRIPT_KEEP},
            {.end = ends[i]},
            {.end = ends[i]}};
        struct scripted_server *server = serve(steps, 3);
        const char *url = scripted_server_url(server);
        const struct session_options options = {.words = BOOK("--answer", "sat-10:30", "--json")};
        struct session session;
        assert_true(session_start(&session, &options));
        struct session_end end = session_wait(&session);
        static const char lines[] = "round two: the server gave no reply\n" MAY_BE_BOOKED;
        assert_int_equal(end.exit_code, 5);
        assert_string_equal(end.out, "{\"problem\":\"round two: the server gave no reply\"}\n");
        assert_ptr_equal(strstr(end.error, lines), end.error);
        session_done(&session, &end);
        scripted_server_stop(server);
        assert_int_equal(scripted_server_requests(server), 3);
        assert_string_equal(key_of(server, 0, again), "");
        assert_int_equal(strlen(key_of(server, 1, keys[i])), strlen("Idempotency-Key: ") + 34);
        assert_string_equal(key_of(server, 2, again), keys[i]);
        assert_true(bytes_equal(scripted_server_body(server, 1), scripted_server_body(server, 2)));
        scripted_server_free(server);
    }
    assert_string_not_equal(keys[0], keys[1]);
}

static void
given_a_lost_reply_when_it_comes_the_second_time_then_the_visit_is_booked(void **state) {
    (void)state;
    static const struct script_step lost[] = {
        {.end = SCRIPT_CLOSE},
        {.reply = ROW_BYTES(WITH_STATUS("503 No", "application/json", "\"unavailable\""))},
        {.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                            "112\r\n\r\n{\"resultType\"")},
    };
    for (size_t i = 0; i < LENGTH_OF(lost); i++) {
        const struct script_step steps[3] = {
            {.reply = ROW_BYTES(QUESTION)}, lost[i], {.reply = ROW_BYTES(BOOKED)}};
        expect_answered("lost", steps, LENGTH_OF(steps), 0, "sat-10:30 is yours.\n", "");
    }
    const struct script_step refused[3] = {
        {.reply = ROW_BYTES(QUESTION)},
        {.end = SCRIPT_CLOSE},
        {.reply = ROW_BYTES(WITH_STATUS("400 No", "application/json", "\"used\""))}};
    expect_answered("a server without keys", refused, LENGTH_OF(refused), 5, "",
                    "round two: the server refused it (400)\n" MAY_BE_BOOKED);
}

/* Case H5. */
static void given_a_dead_proxy_when_the_server_is_on_this_machine_then_it_books(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.reply = ROW_BYTES(BOOKED)}};
    struct scripted_server *server = serve(steps, 2);
    const char *url = scripted_server_url(server);
    const struct session_options options = {
        .words = BOOK("--answer", "sat-10:30"),
        .environment = (const char *const[]){"http_proxy=http://127.0.0.1:1",
                                             "ALL_PROXY=http://127.0.0.1:1", NULL}};
    session_expect("a proxy", &options, 0, "sat-10:30 is yours.\n", "");
    scripted_server_free(server);
}

/* Case H6. */
static void given_a_server_that_never_answers_when_booking_then_it_ends_in_time(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.end = SCRIPT_HOLD}};
    for (size_t first = 0; first < 2; first++) {
        struct scripted_server *server = serve(&steps[first], 2 - first);
        const char *url = scripted_server_url(server);
        const struct session_options options = {
            .words = BOOK("--answer", "sat-10:30", "--timeout", "1")};
        session_expect("silence", &options, first == 0 ? 5 : 1, "", NULL);
        scripted_server_free(server);
    }
}

static void
given_words_that_name_another_time_when_booked_then_the_booking_does_not_move(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(QUESTION)},
        {.reply = ROW_BYTES(BOOKED_AS("sat-10:30", "sat-11:30 is yours."))}};
    struct scripted_server *server = serve(steps, 2);
    const char *url = scripted_server_url(server);
    const struct session_options options = {.words = BOOK("--answer", "sat-10:30", "--json")};
    session_expect(
        "other words", &options, 0,
        "{\"status\":\"booked\",\"slot\":\"sat-10:30\",\"say\":\"sat-11:30 is yours.\"}\n", "");
    scripted_server_free(server);
}

/* Code 1 would say that nothing is booked, and a script would try again. */
static void given_a_booking_when_it_cant_be_printed_then_the_salon_still_holds_it(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(QUESTION)}, {.reply = ROW_BYTES(BOOKED)},
        {.reply = ROW_BYTES(QUESTION)}, {.reply = ROW_BYTES(BOOKED)},
        {.reply = ROW_BYTES(QUESTION)}, {.reply = ROW_BYTES(NOT_BOOKED)}};
    struct scripted_server *server = serve(steps, LENGTH_OF(steps));
    const char *url = scripted_server_url(server);
    static const char unprinted[] = "the result could not be printed\n";
    static const char last[] = "tandem: standard output can't be written\n";
    char booked[256];
    char not_booked[256];
    snprintf(booked, sizeof booked,
             "%sthe salon's record holds the visit; ask the salon before trying again\n%s",
             unprinted, last);
    snprintf(not_booked, sizeof not_booked, "%s%s", unprinted, last);
    const struct session_options as_text = {.words = BOOK("--answer", "sat-10:30"),
                                            .output = "/dev/full"};
    session_expect("as text", &as_text, 5, NULL, booked);
    const struct session_options as_json = {.words = BOOK("--answer", "sat-10:30", "--json"),
                                            .output = "/dev/full"};
    session_expect("as JSON", &as_json, 5, NULL, booked);
    const struct session_options declined = {.words = BOOK("--decline"), .output = "/dev/full"};
    session_expect("not booked", &declined, 3, NULL, not_booked);
    scripted_server_free(server);
}

static void
given_a_booking_of_a_slot_that_is_not_open_when_it_comes_then_it_does_not_count(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(QUESTION)},
        {.reply = ROW_BYTES(BOOKED_AS("sat-09:00", "sat-10:30 is yours."))}};
    expect_answered("another slot", steps, LENGTH_OF(steps), 4,
                    "sat-09:00 was taken meanwhile. Pick another time?\n"
                    "the salon's record still holds sat-09:00; tell the salon\n",
                    "");
}

/* Runs with a file of slots whose text changes once `requests` requests came: the next reply is
 * held back until then. */
static void run_changing(const struct script_step steps[2], size_t requests, const char *changed,
                         const char *option, int exit_code, const char *out, const char *error,
                         const char *answer_sent) {
    char path[64];
    assert_true(session_file(path, "sat-10:30\nsat-11:30\n"));
    struct scripted_server *server = serve(steps, 2);
    const char *url = scripted_server_url(server);
    const struct session_options options = {.words =
                                                BOOK_FROM(path, "--answer", "sat-10:30", option)};
    struct session session;
    assert_true(session_start(&session, &options));
    assert_true(scripted_server_wait(server, requests));
    if (changed == NULL) {
        assert_int_equal(unlink(path), 0);
    } else {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(changed, file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    scripted_server_release(server);
    struct session_end end = session_wait(&session);
    unlink(path);
    if (end.exit_code != exit_code || strcmp(end.out, out) != 0 ||
        (error != NULL && strcmp(end.error, error) != 0))
        fail_msg("exit code %d\nout: %s\nerror: %s", end.exit_code, end.out, end.error);
    session_done(&session, &end);
    scripted_server_stop(server);
    const char *body = (const char *)scripted_server_body(server, 1).data;
    if (answer_sent == NULL)
        assert_int_equal(scripted_server_connections(server), 1);
    else
        assert_non_null(strstr(body, answer_sent));
    scripted_server_free(server);
}

static void
given_a_slot_taken_meanwhile_when_answered_then_it_books_nothing_and_says_so(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION), .is_held_back = true},
                                               {.reply = ROW_BYTES(NOT_BOOKED)}};
    run_changing(steps, 1, "sat-11:30\r\n", "--", 4, TAKEN, "", "\"action\":\"decline\"");
    run_changing(steps, 1, "", "--json", 4,
                 "{\"status\":\"taken\",\"slot\":\"sat-10:30\",\"say\":\"sat-10:30 was taken "
                 "meanwhile. Pick another time?\"}\n",
                 "", "\"action\":\"decline\"");
}

static void
given_a_slot_taken_meanwhile_when_the_decline_fails_then_its_failure_is_said(void **state) {
    (void)state;
    static const struct script_step refused[] = {
        {.reply = ROW_BYTES(QUESTION), .is_held_back = true},
        {.reply = ROW_BYTES(WITH_STATUS("400 Bad Request", "application/json", "\"no\""))}};
    run_changing(refused, 1, "sat-11:30", "--", 1, "", "round two: the server refused it (400)\n",
                 "\"action\":\"decline\"");
    static const struct script_step unavailable[] = {
        {.reply = ROW_BYTES(QUESTION), .is_held_back = true},
        {.reply = ROW_BYTES(WITH_STATUS("503 Busy", "application/json", "\"no\""))}};
    /* Its repetition gets no reply. */
    run_changing(unavailable, 1, "sat-11:30", "--", 5, "", NULL, "\"action\":\"decline\"");
}

static void
given_a_slot_lost_after_round_two_when_booked_then_the_salon_still_holds_it(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.reply = ROW_BYTES(BOOKED), .is_held_back = true}};
    static const char held[] = "the salon's record still holds sat-10:30; tell the salon\n";
    char out[256];
    snprintf(out, sizeof out, "%s%s", TAKEN, held);
    run_changing(steps, 2, "sat-11:30", "--", 4, out, "", "\"action\":\"accept\"");
    run_changing(
        steps, 2, "sat-11:30", "--json", 4,
        "{\"status\":\"taken_but_recorded\",\"slot\":\"sat-10:30\",\"say\":\"sat-10:30 was "
        "taken meanwhile. Pick another time?\"}\n",
        held, "\"action\":\"accept\"");
}

static void given_a_calendar_that_vanished_when_it_is_read_again_then_it_fails(void **state) {
    (void)state;
    static const struct script_step before[] = {
        {.reply = ROW_BYTES(QUESTION), .is_held_back = true}, {.reply = ROW_BYTES(BOOKED)}};
    run_changing(before, 1, NULL, "--", 1, "", NULL, NULL);
    static const struct script_step after[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.reply = ROW_BYTES(BOOKED), .is_held_back = true}};
    /* It is booked, so that trying again would book twice. */
    run_changing(after, 2, NULL, "--", 5, "", NULL, "\"action\":\"accept\"");
}

static void
given_slots_in_a_file_when_sent_then_line_ends_and_blank_lines_are_no_part(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *slots;
    } rows[] = {
        {"a\nb\n", "[\"a\",\"b\"]"},
        {"a\r\n\r\nb", "[\"a\",\"b\"]"},
        {"\n \t\n a \n\n", "[\" a \"]"},
        {"\xEF\xBB\xBF"
         "a\r\r\n",
         "[\"a\\r\"]"},
        {"", "[]"},
        {"\n\n", "[]"},
    };
    static const struct script_step steps[] = {{.reply = ROW_BYTES(NOT_BOOKED)},
                                               {.reply = ROW_BYTES(NOT_BOOKED)}};
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct scripted_server *server = serve(steps, 2);
        const char *url = scripted_server_url(server);
        char path[64];
        assert_true(session_file(path, rows[i].text));
        const struct session_options from_file = {.words = BOOK_FROM(path, "--decline")};
        session_expect(rows[i].slots, &from_file, 3, NULL, "");
        const struct session_options from_input = {.words = BOOK_FROM("-", "--decline"),
                                                   .input = rows[i].text};
        session_expect(rows[i].slots, &from_input, 3, NULL, "");
        unlink(path);
        scripted_server_stop(server);
        char body[256];
        snprintf(body, sizeof body, "{\"arguments\":{\"message\":\"a trim\",\"openSlots\":%s}}",
                 rows[i].slots);
        for (size_t j = 0; j < 2; j++)
            assert_true(bytes_equal(scripted_server_body(server, j), bytes_of_text(body)));
        scripted_server_free(server);
    }
}

static void given_an_answer_that_is_no_choice_when_asked_then_round_two_is_not_sent(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.reply = ROW_BYTES(BOOKED)}};
    static const char *const answers[] = {"sat-13:00", "1", "d", "SAT-10:30", "sat-10:30 "};
    for (size_t i = 0; i < LENGTH_OF(answers); i++) {
        struct scripted_server *server = serve(steps, 2);
        const char *url = scripted_server_url(server);
        char error[128];
        snprintf(error, sizeof error, "%s is not among the choices: sat-10:30, sat-11:30\n",
                 answers[i]);
        const struct session_options options = {.words = BOOK("--answer", answers[i])};
        session_expect(answers[i], &options, 1, "", error);
        scripted_server_stop(server);
        assert_int_equal(scripted_server_connections(server), 1);
        scripted_server_free(server);
    }
}

static void given_words_with_control_characters_when_shown_then_they_are_escaped(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(QUESTION)},
        {.reply = ROW_BYTES(
             BOOKED_AS("sat-10:30", "\\u001b[2J\\r\\n\\t\x7F\xC2\x85\xE2\x80\xAE\xC3\xA9\\\\n"))},
        {.reply = ROW_BYTES(QUESTION)},
        {.reply = ROW_BYTES(BOOKED_AS("sat-10:30", "\\u001b\\n\x7F\xC2\x85\xC3\xA9"))}};
    struct scripted_server *server = serve(steps, 4);
    const char *url = scripted_server_url(server);
    const struct session_options options = {.words = BOOK("--answer", "sat-10:30")};
    session_expect("as text", &options, 0, "\\u001b[2J\\r\\n\\t\\u007f\\u0085\\u202e\xC3\xA9\\n\n",
                   "");
    const struct session_options as_json = {.words = BOOK("--answer", "sat-10:30", "--json")};
    session_expect(
        "as JSON", &as_json, 0,
        "{\"status\":\"booked\",\"slot\":\"sat-10:30\",\"say\":\"\\u001b\\n\\u007f\\u0085\xC3\xA9"
        "\"}\n",
        "");
    scripted_server_free(server);
}

static void given_wrong_usage_when_run_then_it_is_told_before_anything_is_sent(void **state) {
    (void)state;
    struct scripted_server *server = serve(NULL, 0);
    const char *url = scripted_server_url(server);
    char file[64];
    char bad_file[64];
    char longer[80];
    assert_true(session_file(file, "a\n"));
    assert_true(session_file(bad_file, "a\n\xFF\n"));
    snprintf(longer, sizeof longer, "%s/salons", url);
    const struct {
        const char *name;
        const char *const *words;
    } rows[] = {
        {"nobody to ask", (const char *const[]){"book", url, "elm", "x", "--slot", "a", NULL}},
        {"nobody to ask, no slots", (const char *const[]){"book", url, "elm", "x", NULL}},
        {"a salon of a dot", (const char *const[]){"book", url, ".", "x", "--decline", NULL}},
        {"a salon of two", (const char *const[]){"book", url, "..", "x", "--decline", NULL}},
        {"no salon", (const char *const[]){"book", url, "", "x", "--decline", NULL}},
        {"a salon that isn't UTF-8",
         (const char *const[]){"book", url, "\xFF", "x", "--decline", NULL}},
        {"a message that isn't UTF-8",
         (const char *const[]){"book", url, "elm", "\xFF", "--decline", NULL}},
        {"a slot that isn't UTF-8",
         (const char *const[]){"book", url, "elm", "x", "--decline", "--slot", "\xFF", NULL}},
        {"no message", (const char *const[]){"book", url, "elm", "--decline", NULL}},
        {"a word too many", (const char *const[]){"book", url, "elm", "x", "y", "--decline", NULL}},
        {"slots twice", BOOK_FROM(file, "--slot", "a", "--decline")},
        {"an answer and a decline", BOOK("--answer", "sat-10:30", "--decline")},
        {"a file that isn't there", BOOK_FROM("/nonexistent/slots", "--decline")},
        {"a directory", BOOK_FROM("/tmp", "--decline")},
        {"a device", BOOK_FROM("/dev/null", "--decline")},
        {"a file that isn't UTF-8", BOOK_FROM(bad_file, "--decline")},
        {"no such certificates", BOOK("--decline", "--cacert", "/nonexistent/ca.pem")},
        {"no time", BOOK("--decline", "--timeout", "0")},
        {"too much time", BOOK("--decline", "--timeout", "3601")},
        {"an unknown option", BOOK("--decline", "--maybe")},
        {"a path", (const char *const[]){"book", longer, "elm", "x", "--decline", NULL}},
        {"no scheme", (const char *const[]){"book", url + 7, "elm", "x", "--decline", NULL}},
        {"another scheme", (const char *const[]){"book", "ftp://h", "elm", "x", "--decline", NULL}},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        const struct session_options options = {.words = rows[i].words};
        session_expect(rows[i].name, &options, 2, "", NULL);
    }
    unlink(file);
    unlink(bad_file);
    scripted_server_stop(server);
    assert_int_equal(scripted_server_connections(server), 0);
    scripted_server_free(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_the_real_server_when_answered_then_the_visit_is_booked),
        SCENARIO(given_the_real_server_when_declined_then_nothing_is_booked),
        SCENARIO(given_the_real_server_when_it_refuses_then_its_status_is_named),
        cmocka_unit_test(
            given_a_question_when_answered_then_the_retry_carries_the_same_booking_the_answer_and_the_state_untouched),
        cmocka_unit_test(given_a_question_when_declined_then_it_books_nothing),
        cmocka_unit_test(given_a_second_question_when_it_comes_then_it_stops_with_a_clear_error),
        cmocka_unit_test(given_a_server_that_is_down_when_booking_then_it_says_so),
        cmocka_unit_test(
            given_a_bad_reply_in_either_round_when_it_comes_then_the_problem_is_named_and_no_body_kept),
        cmocka_unit_test(given_a_problem_when_json_is_asked_for_then_it_is_printed_as_json),
        cmocka_unit_test(
            given_a_server_that_reads_round_two_and_closes_when_booking_then_it_is_sent_once_more_with_its_key),
        cmocka_unit_test(given_a_lost_reply_when_it_comes_the_second_time_then_the_visit_is_booked),
        cmocka_unit_test(given_a_dead_proxy_when_the_server_is_on_this_machine_then_it_books),
        cmocka_unit_test(given_a_server_that_never_answers_when_booking_then_it_ends_in_time),
        cmocka_unit_test(
            given_words_that_name_another_time_when_booked_then_the_booking_does_not_move),
        cmocka_unit_test(given_a_booking_when_it_cant_be_printed_then_the_salon_still_holds_it),
        cmocka_unit_test(
            given_a_booking_of_a_slot_that_is_not_open_when_it_comes_then_it_does_not_count),
        cmocka_unit_test(
            given_a_slot_taken_meanwhile_when_answered_then_it_books_nothing_and_says_so),
        cmocka_unit_test(
            given_a_slot_taken_meanwhile_when_the_decline_fails_then_its_failure_is_said),
        cmocka_unit_test(
            given_a_slot_lost_after_round_two_when_booked_then_the_salon_still_holds_it),
        cmocka_unit_test(given_a_calendar_that_vanished_when_it_is_read_again_then_it_fails),
        cmocka_unit_test(
            given_slots_in_a_file_when_sent_then_line_ends_and_blank_lines_are_no_part),
        cmocka_unit_test(given_an_answer_that_is_no_choice_when_asked_then_round_two_is_not_sent),
        cmocka_unit_test(given_words_with_control_characters_when_shown_then_they_are_escaped),
        cmocka_unit_test(given_wrong_usage_when_run_then_it_is_told_before_anything_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
