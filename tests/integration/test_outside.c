/* The server seen from outside: log lines, metrics, readiness, and browsers' cross-origin rules
 * (case F10). What a customer says must be in none of them. */
#include "checked_exchange.h"
#include "deadline.h"

#include <ctype.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

enum { POLL_PAUSE = 20 }; /* milliseconds */

static const char private_booking[] =
    "{\"message\":\"SECRETWORDS\",\"openSlots\":[\"SECRETSLOT\",\"SECRETOTHER\"]}";

/* A server with an admin listener, whose address is `admin`. */
static void start_with_admin(struct scene *scene, const char *const *more,
                             struct server_address *admin) {
    const char *arguments[16] = {"--admin", "127.0.0.1:0"};
    for (size_t i = 0; more != NULL && more[i] != NULL; i++)
        arguments[i + 2] = more[i];
    scene_start(scene, arguments);
    *admin = scene_read_admin(scene);
}

/* What the admin listener says at `target`, which the document leaves to the operator. */
static const char *admin_get(struct scene *scene, const struct server_address *admin,
                             const char *target) {
    struct client client;
    const struct client_request request = {.method = "GET", .target = target};
    assert_true(client_connect(admin, &client));
    send_text(&client, client_request_bytes(&request, &scene->arena));
    const char *text = (const char *)client_receive_all(&client, &scene->arena).data;
    client_close(&client);
    return text;
}

static void converse_privately(struct scene *scene) {
    const char *issued = ask_for(scene, "SECRETSALON", private_booking);
    struct bytes right =
        round_two(&scene->arena, private_booking, ACCEPT_TIME("SECRETSLOT"), issued);
    struct bytes wrong = round_two(&scene->arena, private_booking, ACCEPT_TIME("SECRETNO"), issued);
    assert_int_equal(book_at(scene, "SECRETSALON", wrong)->status, 400);
    assert_int_equal(book_at(scene, "SECRETSALON", right)->status, 200);
    assert_int_equal(book_at(scene, "SECRETSALON", right)->status, 400);
    assert_int_equal(
        exchange(scene, &(struct client_request){.method = "GET", .target = "/SECRETPATH?SECRET"})
            ->status,
        404);
    assert_int_equal(exchange(scene, &(struct client_request){.method = "SECRETMETHOD"})->status,
                     405);
}

/* One member of a logfmt line; true when `line` is at one, which is then passed over. */
static bool pass_member(const char **line) {
    const char *at = *line;
    while (islower((unsigned char)*at) || *at == '_')
        at++;
    if (at == *line || *at++ != '=')
        return false;
    if (*at == '"') {
        for (at++; *at != '"'; at++)
            if (*at == '\0' || *at == '\n')
                return false;
        at++;
    } else {
        while (*at > ' ' && *at != '"')
            at++;
    }
    *line = at;
    return true;
}

/* Reads every line as logfmt; returns how many are requests. */
static size_t read_log(const char *log) {
    size_t requests = 0;
    for (const char *at = log; *at != '\0'; at++) {
        const char *line = at;
        bool is_request = strncmp(at, "time=", 5) == 0 && strstr(at, " msg=request ") != NULL &&
                          strstr(at, " msg=request ") < strchr(at, '\n');
        while (pass_member(&at) && *at == ' ')
            at++;
        if (*at != '\n')
            fail_msg("not logfmt: %.80s", line);
        requests += is_request;
    }
    return requests;
}

static void
given_a_conversation_when_it_is_over_then_the_log_has_it_and_nothing_private(void **state) {
    struct scene *scene = *state;
    scene_start(scene, NULL);
    converse_privately(scene);
    server_signal(&scene->server, SIGTERM);
    const char *log = server_wait(&scene->server, &scene->arena).error;
    assert_int_equal(read_log(log), 6);
    assert_null(strstr(log, "SECRET"));
    assert_null(strstr(log, "0123456789abcdef0123456789abcdef"));
    assert_null(strstr(log, "goodUntil"));
    static const char *const members[] = {
        "method=POST route=/salons/{salon}/book status=200 outcome=asked duration_us=",
        "method=POST route=/salons/{salon}/book status=200 outcome=booked duration_us=",
        "method=POST route=/salons/{salon}/book status=400 reason=never_offered duration_us=",
        "method=POST route=/salons/{salon}/book status=400 reason=used duration_us=",
        "method=GET route=- status=404 reason=not_found duration_us=",
        "method=other route=/salons/{salon}/book status=405 reason=method duration_us=",
    };
    for (size_t i = 0; i < COUNT(members); i++)
        if (strstr(log, members[i]) == NULL)
            fail_msg("not in the log: %s", members[i]);
}

static void given_a_log_level_when_below_it_then_nothing_is_logged(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--log-level", "warning", NULL});
    ask(scene);
    server_signal(&scene->server, SIGTERM);
    const char *log = server_wait(&scene->server, &scene->arena).error;
    assert_int_equal(read_log(log), 0);
    assert_non_null(strstr(log, "level=warning msg=\"not ready\" reason=\"draining\""));
}

static void
given_a_conversation_when_metrics_are_read_then_they_count_it_and_nothing_private(void **state) {
    struct scene *scene = *state;
    struct server_address admin;
    start_with_admin(scene, NULL, &admin);
    converse_privately(scene);
    static const char *const lines[] = {
        "\ntandem_outcomes_total{round=\"1\",outcome=\"asked\"} 1\n",
        "\ntandem_outcomes_total{round=\"2\",outcome=\"booked\"} 1\n",
        "\ntandem_refusals_total{reason=\"used\"} 1\n",
        "\ntandem_refusals_total{reason=\"never_offered\"} 1\n",
        "\ntandem_refusals_total{reason=\"not_found\"} 1\n",
        "\ntandem_used_states 1\n",
        "\ntandem_connections ",
        "\ntandem_http_request_duration_seconds_count{route=\"/salons/{salon}/book\","
        "method=\"POST\",status=\"200\"} 2\n",
        "\ntandem_http_request_duration_seconds_bucket{route=\"/salons/{salon}/book\","
        "method=\"POST\",status=\"200\",le=\"+Inf\"} 2\n",
    };
    const char *text = get_metrics(scene, &admin, lines, COUNT(lines));
    assert_null(strstr(text, "SECRET"));
    assert_non_null(strstr(text, "\ntandem_build_info{version=\""));
    assert_non_null(strstr(text, "# TYPE tandem_http_request_duration_seconds histogram\n"));
}

static void given_no_key_when_readiness_is_asked_then_only_the_operator_hears_why(void **state) {
    struct scene *scene = *state;
    scene_start_without_key(scene, (const char *[]){"--admin", "127.0.0.1:0", NULL});
    struct server_address admin = scene_read_admin(scene);
    const struct client_request readyz = {.method = "GET", .target = "/readyz"};
    const struct client_request livez = {.method = "GET", .target = "/livez"};
    assert_reply(exchange(scene, &readyz), 503, "\"not ready\"");
    assert_reply(exchange(scene, &livez), 200, "\"alive\"");
    assert_non_null(strstr(admin_get(scene, &admin, "/readyz"), "\r\n\r\nnot ready: no key\n"));
    server_signal(&scene->server, SIGTERM);
    const char *log = server_wait(&scene->server, &scene->arena).error;
    assert_non_null(strstr(log, "msg=\"not ready\" reason=\"no key\""));
}

/* Case B5 against the built binary. */
static void
given_the_memory_of_used_states_full_when_one_more_comes_then_503_and_not_ready(void **state) {
    struct scene *scene = *state;
    struct server_address admin;
    start_with_admin(scene, (const char *[]){"--ledger", "memory", "--max-used-states", "1", NULL},
                     &admin);
    const struct client_request readyz = {.method = "GET", .target = "/readyz"};
    assert_reply(exchange(scene, &readyz), 200, "\"ready\"");
    const char *first = ask(scene);
    const char *second = ask(scene);
    assert_int_equal(answer(scene, DECLINE, first)->status, 200);
    assert_refused(scene, answer(scene, DECLINE, second), 503,
                   "the booking service is unavailable");
    assert_refused(scene, answer(scene, DECLINE, first), 400, "requestState was already used");
    assert_reply(exchange(scene, &readyz), 503, "\"not ready\"");
    assert_non_null(strstr(admin_get(scene, &admin, "/readyz"), "not ready: the ledger is full"));
    ask(scene);
}

static void given_a_full_memory_when_states_expire_then_the_log_says_ready_again(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--ledger", "memory", "--max-used-states", "1",
                                        "--valid-for", "1", NULL});
    const struct client_request readyz = {.method = "GET", .target = "/readyz"};
    const char *first = ask(scene);
    const char *second = ask(scene);
    assert_int_equal(answer(scene, DECLINE, first)->status, 200);
    /* 503, or 400 once the second is over. */
    if (answer(scene, DECLINE, second)->status != 503)
        return;
    struct deadline patience = deadline_in(PATIENCE);
    const char *not_ready = NULL;
    while (not_ready == NULL || strstr(not_ready, "msg=\"ready\"") == NULL) {
        assert_true(deadline_left(patience) > 0);
        poll(NULL, 0, POLL_PAUSE);
        exchange(scene, &readyz);
        const char *log = running_error(&scene->server.program, &scene->arena);
        not_ready = strstr(log, "msg=\"not ready\" reason=\"the ledger is full");
    }
}

static const char *preflight(struct scene *scene, const char *origin) {
    const struct client_request request = {
        .method = "OPTIONS",
        .headers = arena_format(&scene->arena,
                                "Origin: %s\r\nAccess-Control-Request-Method: POST\r\n", origin),
    };
    const struct client_reply *reply = exchange(scene, &request);
    assert_int_equal(reply->status,
                     client_reply_header(reply, "Access-Control-Allow-Origin") == NULL ? 405 : 204);
    return client_reply_header(reply, "Access-Control-Allow-Origin");
}

static void assert_header(const struct client_reply *reply, const char *name, const char *value) {
    const char *found = client_reply_header(reply, name);
    if (value == NULL ? found != NULL : found == NULL || strcmp(found, value) != 0)
        fail_msg("%s of %u is %s", name, reply->status, found == NULL ? "not there" : found);
}

static void given_an_allowed_origin_when_its_pages_call_then_every_reply_says_so(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--allow-origin", "https://app.example", "--allow-origin",
                                        "http://localhost:3000", NULL});
    assert_string_equal(preflight(scene, "https://app.example"), "https://app.example");
    assert_string_equal(preflight(scene, "http://localhost:3000"), "http://localhost:3000");
    assert_null(preflight(scene, "https://app.example.evil"));
    assert_null(preflight(scene, "https://APP.example"));
    assert_null(preflight(scene, "null"));
    static const char from[] = "Origin: https://app.example\r\n";
    const struct client_request requests[] = {
        {.headers = from, .body = round_one(&scene->arena, A_BOOKING)},
        {.headers = from, .body = BYTES("{")},
        {.headers = from, .target = "/nowhere", .method = "GET"},
        {.headers = from, .method = "GET"},
        {.headers = from, .content_type = "text/plain", .body = BYTES("x")},
        {.headers = from, .target = "/readyz", .method = "GET"},
    };
    for (size_t i = 0; i < COUNT(requests); i++) {
        const struct client_reply *reply = exchange(scene, &requests[i]);
        assert_header(reply, "Access-Control-Allow-Origin", "https://app.example");
        assert_header(reply, "Vary", "Origin");
        assert_header(reply, "Access-Control-Expose-Headers",
                      "X-Request-Id, Idempotent-Replayed, Retry-After");
    }
    const struct client_reply *other =
        exchange(scene, &(struct client_request){.headers = "Origin: https://b.example\r\n",
                                                 .body = round_one(&scene->arena, A_BOOKING)});
    assert_header(other, "Access-Control-Allow-Origin", NULL);
    assert_header(other, "Vary", "Origin");
}

static void given_no_allowed_origin_when_pages_call_then_browsers_are_told_nothing(void **state) {
    struct scene *scene = *state;
    scene_start(scene, NULL);
    assert_null(preflight(scene, "https://app.example"));
    const struct client_reply *reply =
        exchange(scene, &(struct client_request){.headers = "Origin: https://app.example\r\n",
                                                 .body = round_one(&scene->arena, A_BOOKING)});
    assert_header(reply, "Access-Control-Allow-Origin", NULL);
    assert_header(reply, "Vary", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(
            given_a_conversation_when_it_is_over_then_the_log_has_it_and_nothing_private),
        SCENARIO_WITHOUT_SERVER(given_a_log_level_when_below_it_then_nothing_is_logged),
        SCENARIO_WITHOUT_SERVER(
            given_a_conversation_when_metrics_are_read_then_they_count_it_and_nothing_private),
        SCENARIO_WITHOUT_SERVER(
            given_no_key_when_readiness_is_asked_then_only_the_operator_hears_why),
        SCENARIO_WITHOUT_SERVER(
            given_the_memory_of_used_states_full_when_one_more_comes_then_503_and_not_ready),
        SCENARIO_WITHOUT_SERVER(
            given_a_full_memory_when_states_expire_then_the_log_says_ready_again),
        SCENARIO_WITHOUT_SERVER(
            given_an_allowed_origin_when_its_pages_call_then_every_reply_says_so),
        SCENARIO_WITHOUT_SERVER(
            given_no_allowed_origin_when_pages_call_then_browsers_are_told_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
