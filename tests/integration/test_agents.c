/* The endpoint /mcp of the built server: HTTP's checks, the tool book, and states that travel
 * between the two entrances. Every reply is held to the OpenAPI document. */
#include "mcp_calls.h"
#include "race.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

enum { RACERS = 64 };

static const char UNAVAILABLE_TEXT[] = "the booking service is unavailable";

static json_t *parse(const struct client_reply *reply) {
    json_t *value = json_loadb((const char *)reply->body.data, reply->body.size, 0, NULL);
    if (value == NULL)
        fail_msg("%u and no JSON: %s", reply->status, (const char *)reply->body.data);
    return value;
}

/* A text at a place of the reply, such as "result/structuredContent/slot"; NULL when it isn't
 * there. Numbers count places of an array. */
static const char *text_at(struct scene *scene, const struct client_reply *reply,
                           const char *place) {
    json_t *root = parse(reply), *value = root;
    char name[64];
    for (size_t size; *place != '\0'; place += size + (place[size] == '/')) {
        size = strcspn(place, "/");
        snprintf(name, sizeof name, "%.*s", (int)size, place);
        value = json_is_array(value) ? json_array_get(value, (size_t)(name[0] - '0'))
                                     : json_object_get(value, name);
    }
    const char *text =
        json_is_string(value) ? arena_format(&scene->arena, "%s", json_string_value(value)) : NULL;
    json_decref(root);
    return text;
}

static void assert_text(struct scene *scene, const struct client_reply *reply, const char *place,
                        const char *expected) {
    const char *text = text_at(scene, reply, place);
    if (text == NULL || strcmp(text, expected) != 0)
        fail_msg("%s is not \"%s\" in %u %s", place, expected, reply->status,
                 (const char *)reply->body.data);
}

static void assert_error(struct scene *scene, const struct client_reply *reply, unsigned status,
                         int code, const char *message) {
    json_t *root = parse(reply);
    json_t *got = json_object_get(json_object_get(root, "error"), "code");
    if (reply->status != status || json_integer_value(got) != code)
        fail_msg("not %u and %d: %u %s", status, code, reply->status,
                 (const char *)reply->body.data);
    json_decref(root);
    if (message != NULL)
        assert_text(scene, reply, "error/message", message);
}

static bool is_error_result(const struct client_reply *reply) {
    json_t *root = parse(reply);
    bool is_error = json_is_true(json_object_get(json_object_get(root, "result"), "isError"));
    json_decref(root);
    return reply->status == 200 && is_error;
}

static const struct client_reply *call(struct scene *scene, const char *arguments,
                                       const char *responses, const char *state, const char *meta) {
    const struct client_request request =
        mcp_booking(&scene->arena, arguments, responses, state, meta);
    return exchange(scene, &request);
}

/* The state of a question, as JSON text. */
static const char *state_asked(struct scene *scene, const struct client_reply *reply) {
    assert_text(scene, reply, "result/resultType", "input_required");
    assert_text(scene, reply, "result/inputRequests/time/params/message", "Which time suits you?");
    const char *state = text_at(scene, reply, "result/requestState");
    assert_non_null(state);
    return json_quoted(&scene->arena, state);
}

static const char *ask_over_mcp(struct scene *scene) {
    return state_asked(scene, call(scene, AGENTS_BOOKING(""), NULL, NULL, CAN_ASK));
}

static const struct client_reply *answer_over_mcp(struct scene *scene, const char *answer_text,
                                                  const char *state) {
    return call(scene, AGENTS_BOOKING(""),
                arena_format(&scene->arena, "{\"time\":%s}", answer_text), state, CAN_ASK);
}

static void assert_booked(struct scene *scene, const struct client_reply *reply, const char *slot) {
    assert_text(scene, reply, "result/structuredContent/status", "booked");
    assert_text(scene, reply, "result/structuredContent/slot", slot);
    assert_text(scene, reply, "result/resultType", "complete");
    assert_text(scene, reply, "result/content/0/text",
                arena_format(&scene->arena, "%s is yours.", slot));
}

static void given_an_agent_that_can_ask_when_the_customer_answers_then_it_is_booked(void **state) {
    struct scene *scene = *state;
    const char *issued = ask_over_mcp(scene);
    assert_booked(scene, answer_over_mcp(scene, ACCEPT_TIME("sat-11:30"), issued), "sat-11:30");
    assert_error(scene, answer_over_mcp(scene, ACCEPT_TIME("sat-11:30"), issued), 200, -32602,
                 "Invalid or expired requestState");
    const struct client_reply *declined = answer_over_mcp(scene, DECLINE, ask_over_mcp(scene));
    assert_text(scene, declined, "result/structuredContent/status", "not_booked");
    const struct client_reply *cancelled = answer_over_mcp(scene, CANCEL, ask_over_mcp(scene));
    assert_text(scene, cancelled, "result/structuredContent/status", "not_booked");
}

/* A state of one entrance completes at the other, once. */
static void given_a_state_of_one_entrance_when_used_at_the_other_then_once(void **state) {
    struct scene *scene = *state;
    const struct client_reply *asked = book(scene, round_one(&scene->arena, A_BOOKING));
    const char *of_route = state_of(&scene->arena, asked);
    const char *quoted = json_quoted(&scene->arena, of_route);
    assert_booked(scene, answer_over_mcp(scene, ACCEPT_TIME("sat-10:30"), quoted), "sat-10:30");
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), of_route), 400,
                   "requestState was already used");

    const struct client_reply *over_mcp = call(scene, AGENTS_BOOKING(""), NULL, NULL, CAN_ASK);
    const char *of_mcp = text_at(scene, over_mcp, "result/requestState");
    assert_reply(answer(scene, ACCEPT_TIME("sat-11:30"), of_mcp), 200,
                 booked_body(&scene->arena, "sat-11:30"));
    assert_error(
        scene, answer_over_mcp(scene, ACCEPT_TIME("sat-11:30"), json_quoted(&scene->arena, of_mcp)),
        200, -32602, "Invalid or expired requestState");
}

/* Half of the racers at each entrance. */
static void given_one_state_when_both_entrances_race_for_it_then_one_books(void **state) {
    struct scene *scene = *state;
    for (size_t round = 0; round < 20; round++) {
        struct race *race = race_new(scene, RACERS);
        struct client_request requests[RACERS] = {{0}};
        const char *issued = ask(scene);
        const char *quoted = json_quoted(&scene->arena, issued);
        for (size_t i = 0; i < RACERS; i++)
            if (i % 2 == 0)
                requests[i].body =
                    round_two(&scene->arena, A_BOOKING, ACCEPT_TIME("sat-10:30"), issued);
            else
                requests[i] =
                    mcp_booking(&scene->arena, AGENTS_BOOKING(""),
                                "{\"time\":" ACCEPT_TIME("sat-11:30") "}", quoted, CAN_ASK);
        const struct client_reply *replies = race_run(race, requests);
        size_t booked = 0, refused = 0;
        for (size_t i = 0; i < RACERS; i++) {
            const char *body = (const char *)replies[i].body.data;
            booked += strstr(body, "\"status\":\"booked\"") != NULL;
            refused += strstr(body, "already used") != NULL ||
                       strstr(body, "Invalid or expired requestState") != NULL;
        }
        race_free(race);
        assert_int_equal(booked, 1);
        assert_int_equal(refused, RACERS - 1);
        arena_done(&scene->arena);
    }
}

/* A client that can be asked can't skip the customer. */
static void
given_an_agent_that_can_ask_when_it_sends_time_then_the_customer_is_asked(void **state) {
    struct scene *scene = *state;
    const char *with_time = AGENTS_BOOKING(",\"time\":\"sat-11:30\"");
    const char *issued = state_asked(scene, call(scene, with_time, NULL, NULL, CAN_ASK));
    /* Nor does it count on the retry: the customer's answer does. */
    assert_booked(
        scene, call(scene, with_time, "{\"time\":" ACCEPT_TIME("sat-10:30") "}", issued, CAN_ASK),
        "sat-10:30");
    const char *again = ask_over_mcp(scene);
    assert_true(is_error_result(call(scene, with_time, "{}", again, CANNOT_ASK)));
    assert_booked(scene, answer_over_mcp(scene, ACCEPT_TIME("sat-10:30"), again), "sat-10:30");
}

static void given_an_agent_that_cannot_ask_when_it_sends_time_then_it_is_booked(void **state) {
    struct scene *scene = *state;
    const char *told =
        "Nothing is booked yet: this client can't ask the customer. Ask the customer "
        "which time suits: \"sat-10:30\" or \"sat-11:30\". Then call book again with "
        "the same arguments and the chosen one as time.";
    static const char *const never[] = {AGENTS_BOOKING(""), AGENTS_BOOKING(",\"time\":null"),
                                        AGENTS_BOOKING(",\"time\":\"sat-13:00\""),
                                        AGENTS_BOOKING(",\"time\":\"SAT-10:30\""),
                                        AGENTS_BOOKING(",\"time\":\"\"")};
    for (size_t i = 0; i < COUNT(never); i++) {
        const struct client_reply *reply = call(scene, never[i], NULL, NULL, CANNOT_ASK);
        assert_true(is_error_result(reply));
        assert_text(scene, reply, "result/content/0/text", told);
    }
    for (size_t i = 0; i < 2; i++) /* each call is a booking of its own */
        assert_booked(
            scene, call(scene, AGENTS_BOOKING(",\"time\":\"sat-11:30\""), NULL, NULL, CANNOT_ASK),
            "sat-11:30");
    const struct client_reply *closed =
        call(scene,
             "{\"salon\":\"elm-street\",\"message\":\"\",\"openSlots\":[],\"time\":\"sat-10:30\"}",
             NULL, NULL, CANNOT_ASK);
    assert_text(scene, closed, "result/structuredContent/status", "not_booked");
}

static void given_the_handshake_era_when_it_calls_then_it_books_with_time(void **state) {
    struct scene *scene = *state;
    struct client_request request = {.target = "/mcp"};
    static const char form[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"book\",\"arguments\":%s,\"requestState\":\"x\"}}";
    request.body = bytes_of_text(arena_format(&scene->arena, form, AGENTS_BOOKING("")));
    assert_true(is_error_result(exchange(scene, &request)));
    request.headers = "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: x\r\n";
    request.body =
        bytes_of_text(arena_format(&scene->arena, form, AGENTS_BOOKING(",\"time\":\"sat-10:30\"")));
    const struct client_reply *reply = exchange(scene, &request);
    assert_text(scene, reply, "result/structuredContent/slot", "sat-10:30");
    assert_null(text_at(scene, reply, "result/resultType"));
    assert_null(client_reply_header(reply, "Mcp-Session-Id"));
}

/* Case A6: what doesn't answer is asked again, with a fresh state; the old one still completes. */
static void given_no_answer_when_it_comes_then_it_is_asked_again(void **state) {
    struct scene *scene = *state;
    static const char *const responses[] = {NULL, "{}", "{\"time\":null}", "null",
                                            "{\"other\":" ACCEPT_TIME("sat-10:30") "}"};
    for (size_t i = 0; i < COUNT(responses); i++) {
        const char *issued = ask_over_mcp(scene);
        const char *fresh =
            state_asked(scene, call(scene, AGENTS_BOOKING(""), responses[i], issued, CAN_ASK));
        assert_string_not_equal(fresh, issued);
        assert_booked(scene, answer_over_mcp(scene, ACCEPT_TIME("sat-10:30"), issued), "sat-10:30");
        assert_booked(scene, answer_over_mcp(scene, ACCEPT_TIME("sat-10:30"), fresh), "sat-10:30");
        /* A used state without answers asks again, too. */
        state_asked(scene, call(scene, AGENTS_BOOKING(""), responses[i], issued, CAN_ASK));
    }
    state_asked(scene, call(scene, AGENTS_BOOKING(""), "{\"time\":" ACCEPT_TIME("sat-10:30") "}",
                            NULL, CAN_ASK));
    const char *issued = ask_over_mcp(scene);
    const char *extra = "{\"other\":7,\"time\":" ACCEPT_TIME("sat-10:30") "}";
    assert_booked(scene, call(scene, AGENTS_BOOKING(""), extra, issued, CAN_ASK), "sat-10:30");
    assert_error(scene, call(scene, AGENTS_BOOKING(""), "[]", issued, CAN_ASK), 200, -32602, NULL);
}

/* Case A5. */
static void given_a_wrong_answer_when_it_comes_then_a_right_one_still_completes(void **state) {
    struct scene *scene = *state;
    static const char not_an_answer[] = "the answer is not an accept, a decline or a cancel";
    static const struct {
        const char *answer, *reason;
    } rows[] = {
        {"7", not_an_answer},
        {"{\"action\":\"maybe\"}", not_an_answer},
        {"{\"action\":\"accept\"}", not_an_answer},
        {"{\"action\":\"accept\",\"content\":7}", not_an_answer},
        {"{\"action\":\"accept\",\"content\":[\"sat-10:30\"]}", not_an_answer},
        {"{\"action\":\"accept\",\"content\":{\"time\":[\"sat-10:30\"]}}", not_an_answer},
        {ACCEPT_TIME("SAT-10:30"), "SAT-10:30 was never offered"},
        {ACCEPT_TIME("sat-10:30 "), "sat-10:30  was never offered"},
        {ACCEPT_TIME(""), " was never offered"},
    };
    const char *issued = ask_over_mcp(scene);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct client_reply *reply = answer_over_mcp(scene, rows[i].answer, issued);
        if (!is_error_result(reply))
            fail_msg("%s: %s", rows[i].answer, (const char *)reply->body.data);
        assert_text(scene, reply, "result/content/0/text", rows[i].reason);
    }
    assert_booked(scene, answer_over_mcp(scene, ACCEPT_TIME("sat-10:30"), issued), "sat-10:30");
}

/* However a state fails, the text is the same. */
static void given_a_state_that_fails_when_it_comes_then_one_text_says_so(void **state) {
    struct scene *scene = *state;
    const char *issued = ask_over_mcp(scene);
    const char *answer_text = "{\"time\":" ACCEPT_TIME("sat-10:30") "}";
    const struct {
        const char *arguments, *state;
    } rows[] = {
        {AGENTS_BOOKING(""), "\"\""},
        {AGENTS_BOOKING(""), "\"{}.00\""},
        {AGENTS_BOOKING(""),
         arena_format(&scene->arena, "%.*s \"", (int)strlen(issued) - 1, issued)},
        {"{\"salon\":\"oak\",\"message\":\"a trim "
         "please\",\"openSlots\":[\"sat-10:30\",\"sat-11:30\"]}",
         issued},
        {"{\"salon\":\"elm-street\",\"message\":\"another\",\"openSlots\":[\"sat-10:30\",\"sat-11:"
         "30\"]}",
         issued},
        {"{\"salon\":\"elm-street\",\"message\":\"a trim "
         "please\",\"openSlots\":[\"sat-11:30\",\"sat-10:30\"]}",
         issued},
        {"{\"salon\":\"elm-street\"}", issued}, /* no state is of arguments that are wrong */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_error(scene, call(scene, rows[i].arguments, answer_text, rows[i].state, CAN_ASK),
                     200, -32602, "Invalid or expired requestState");
        assert_error(scene, call(scene, rows[i].arguments, NULL, rows[i].state, CAN_ASK), 200,
                     -32602, "Invalid or expired requestState");
    }
    assert_booked(scene, answer_over_mcp(scene, ACCEPT_TIME("sat-10:30"), issued), "sat-10:30");
}

static void given_wrong_arguments_when_they_come_then_the_agent_reads_what_to_mend(void **state) {
    struct scene *scene = *state;
    static const struct {
        const char *arguments, *reason;
    } rows[] = {
        {"{}", "arguments.salon is missing"},
        {"{\"salon\":7}", "arguments.salon is not a string"},
        {"{\"salon\":\"\",\"message\":\"\",\"openSlots\":[]}", "the salon is empty"},
        {"{\"salon\":\".\",\"message\":\"\",\"openSlots\":[]}",
         "arguments.salon is . or .., which no salon has"},
        {"{\"salon\":\"..\",\"message\":\"\",\"openSlots\":[]}",
         "arguments.salon is . or .., which no salon has"},
        {"{\"salon\":\"elm\",\"openSlots\":[]}", "arguments.message is missing"},
        {"{\"salon\":\"elm\",\"message\":\"\"}", "arguments.openSlots is missing"},
        {"{\"salon\":\"elm\",\"message\":\"\",\"openSlots\":{}}",
         "arguments.openSlots is not an array"},
        {"{\"salon\":\"elm\",\"message\":\"\",\"openSlots\":[\"a\",7]}",
         "arguments.openSlots[1] is not a string"},
        {AGENTS_BOOKING(",\"time\":7"), "arguments.time is not a string"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct client_reply *reply = call(scene, rows[i].arguments, NULL, NULL, CANNOT_ASK);
        if (!is_error_result(reply))
            fail_msg("%s: %s", rows[i].arguments, (const char *)reply->body.data);
        assert_text(scene, reply, "result/content/0/text", rows[i].reason);
    }
}

/* Rows 1 and 2 of the check table. */
static void given_http_that_is_not_right_when_it_comes_then_it_is_an_rpc_error(void **state) {
    struct scene *scene = *state;
    scene_start(scene,
                (const char *[]){"--mcp-allow-host", "Book.example", "--mcp-allow-host",
                                 "[2001:db8::1]", "--allow-origin", "https://app.example", NULL});
    struct arena *arena = &scene->arena;
    const struct bytes ping = BYTES("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    const struct {
        const char *host, *origin;
        unsigned status;
    } hosts[] = {
        {"127.0.0.1", NULL, 200},
        {"127.0.0.1:80", NULL, 200},
        {"LocalHost:1", NULL, 200},
        {"[::1]:80", NULL, 200},
        {"[::1]", NULL, 200},
        {"book.EXAMPLE", NULL, 200},
        {"[2001:db8::1]:443", NULL, 200},
        {"localhost", "http://localhost:3000", 200},
        {"localhost", "https://book.example", 200},
        {"localhost", "https://app.example", 200},
        {"localhost", "https://app.example:444", 403},
        {"evil.example", NULL, 403},
        {"evil.example:80", "http://localhost", 403},
        {"localhost.evil.example", NULL, 403},
        {"localhost@evil.example", NULL, 403},
        {"localhost:80:80", NULL, 403},
        {"localhost:x", NULL, 403},
        {"[::1", NULL, 403},
        {"[::1]x", NULL, 403},
        {"::1", NULL, 403},
        {"", NULL, 403},
        {"localhost", "null", 403},
        {"localhost", "http://evil.example", 403},
        {"localhost", "http://localhost.evil.example", 403},
        {"localhost", "file://localhost", 403},
        {"localhost", "", 403},
        {"localhost", "http://localhost\r\nOrigin: http://localhost", 403},
    };
    for (size_t i = 0; i < COUNT(hosts); i++) {
        const char *origin =
            hosts[i].origin == NULL ? "" : arena_format(arena, "Origin: %s\r\n", hosts[i].origin);
        struct bytes text = bytes_of_text(
            arena_format(arena,
                         "POST /mcp HTTP/1.1\r\nHost: %s\r\n%sX-Forwarded-Host: localhost\r\n"
                         "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                         hosts[i].host, origin, ping.size, (const char *)ping.data));
        const struct client_request request = {.target = "/mcp", .body = ping};
        struct client client;
        connect_to(scene, &client);
        send_text(&client, text);
        const struct client_reply *reply = receive(scene, &client, &request);
        client_close(&client);
        if (reply->status != hosts[i].status)
            fail_msg("%s %s: %u", hosts[i].host, origin, reply->status);
        if (reply->status == 403)
            assert_non_null(strstr(text_at(scene, reply, "error/message"), "--mcp-allow-host"));
    }
    char *large = arena_take(arena, 70001);
    memset(large, ' ', 70000);
    const struct {
        struct client_request request;
        unsigned status;
    } rows[] = {
        {{.target = "/mcp", .method = "GET"}, 405},
        {{.target = "/mcp", .method = "DELETE"}, 405},
        {{.target = "/mcp", .method = "PUT", .body = ping}, 405},
        {{.target = "/mcp", .content_type = "text/plain", .body = ping}, 415},
        {{.target = "/mcp", .content_type = "", .body = ping}, 415},
        {{.target = "/mcp", .body = bytes_of_text(large)}, 413},
        {{.target = "/mcp", .method = "GET", .headers = "Origin: http://evil.example\r\n"}, 403},
        {{.target = "/mcp", .headers = "Transfer-Encoding: gzip\r\n", .body = ping}, 400},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct client_reply *reply = exchange(scene, &rows[i].request);
        assert_error(scene, reply, rows[i].status, -32600, NULL);
        if (reply->status == 405)
            assert_string_equal(client_reply_header(reply, "Allow"), "POST");
    }
    assert_int_equal(
        exchange(scene, &(struct client_request){.target = "/mcp", .method = "HEAD"})->status, 405);
    const struct client_request preflight = {
        .target = "/mcp",
        .method = "OPTIONS",
        .headers = "Origin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n"};
    const struct client_reply *allowed = exchange(scene, &preflight);
    assert_int_equal(allowed->status, 204);
    const char *names = client_reply_header(allowed, "Access-Control-Allow-Headers");
    assert_true(strstr(names, "MCP-Protocol-Version") != NULL &&
                strstr(names, "Mcp-Method") != NULL && strstr(names, "Mcp-Name") != NULL);
}

static void given_a_notification_when_it_comes_then_202_and_nothing_happens(void **state) {
    struct scene *scene = *state;
    static const char *const messages[] = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"book\"}}",
    };
    for (size_t i = 0; i < COUNT(messages); i++) {
        const struct client_request request = {
            .target = "/mcp", .keeps_alive = true, .body = bytes_of_text(messages[i])};
        const struct client_reply *reply = exchange(scene, &request);
        assert_int_equal(reply->status, 202);
        assert_int_equal(reply->body.size, 0);
        assert_null(client_reply_header(reply, "Content-Type"));
    }
}

static void given_no_key_when_agents_book_then_503_and_no_reason(void **state) {
    struct scene *scene = *state;
    scene_start_without_key(scene, NULL);
    static const char *const arguments[] = {AGENTS_BOOKING(""),
                                            AGENTS_BOOKING(",\"time\":\"sat-10:30\""), "{}"};
    for (size_t i = 0; i < COUNT(arguments); i++) {
        const struct client_reply *reply = call(scene, arguments[i], NULL, NULL, CANNOT_ASK);
        assert_error(scene, reply, 503, -32603, UNAVAILABLE_TEXT);
        assert_non_null(client_reply_header(reply, "Retry-After"));
    }
    assert_error(scene, call(scene, "{}", NULL, "\"x\"", CAN_ASK), 503, -32603, UNAVAILABLE_TEXT);
    assert_error(scene, call(scene, "[]", NULL, NULL, CAN_ASK), 200, -32602, NULL);
}

static void given_a_full_memory_when_an_agent_books_then_503_and_nothing_is_spent(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--ledger", "memory", "--max-used-states", "1", NULL});
    const char *first = ask_over_mcp(scene), *second = ask_over_mcp(scene);
    assert_booked(scene, answer_over_mcp(scene, ACCEPT_TIME("sat-10:30"), first), "sat-10:30");
    assert_error(scene, answer_over_mcp(scene, ACCEPT_TIME("sat-10:30"), second), 503, -32603,
                 UNAVAILABLE_TEXT);
    assert_error(scene,
                 call(scene, AGENTS_BOOKING(",\"time\":\"sat-10:30\""), NULL, NULL, CANNOT_ASK),
                 503, -32603, UNAVAILABLE_TEXT);
    ask_over_mcp(scene);
}

static void given_mcp_off_when_it_is_called_then_there_is_no_such_path(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--no-mcp", NULL});
    assert_refused(scene, call(scene, AGENTS_BOOKING(""), NULL, NULL, CAN_ASK), 404,
                   "there is nothing at this path");
    ask(scene);
}

static void
given_calls_when_log_and_metrics_are_read_then_they_know_tool_and_outcome(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--admin", "127.0.0.1:0", NULL});
    struct server_address admin = scene_read_admin(scene);
    const char *issued = ask_over_mcp(scene);
    answer_over_mcp(scene, ACCEPT_TIME("sat-10:30"), issued);
    answer_over_mcp(scene, ACCEPT_TIME("sat-10:30"), issued);
    call(scene, "[]", NULL, NULL, CAN_ASK);
    static const char *const series[] = {
        "tandem_tool_calls_total{tool=\"book\",outcome=\"asked\"} 1\n",
        "tandem_tool_calls_total{tool=\"book\",outcome=\"booked\"} 1\n",
        "tandem_tool_calls_total{tool=\"book\",outcome=\"used\"} 1\n",
        "tandem_tool_calls_total{tool=\"book\",outcome=\"other\"} 1\n",
        "tandem_outcomes_total{round=\"2\",outcome=\"booked\"} 1\n",
        "tandem_refusals_total{reason=\"used\"} 1\n",
    };
    get_metrics(scene, &admin, series, COUNT(series));
    server_signal(&scene->server, SIGTERM);
    const char *log = server_wait(&scene->server, &scene->arena).error;
    static const char *const members[] = {
        "route=/mcp status=200 tool=book outcome=asked ",
        "route=/mcp status=200 tool=book outcome=booked ",
        "route=/mcp status=200 tool=book reason=used ",
        "route=/mcp status=200 tool=book outcome=invalid_params ",
    };
    for (size_t i = 0; i < COUNT(members); i++)
        if (strstr(log, members[i]) == NULL)
            fail_msg("not in the log: %s\n%s", members[i], log);
    assert_null(strstr(log, "elm-street"));
}

/* A round one whose round two could not fit is refused, as on the route. */
static void
given_a_message_near_the_limit_when_asked_then_its_round_two_fits_or_it_says_so(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--max-body", "2048", NULL});
    size_t asked = 0, refused = 0;
    for (size_t size = 0; size < 1500; size += 7) {
        char *words = arena_take(&scene->arena, size + 1);
        memset(words, 'w', size);
        const char *arguments = arena_format(
            &scene->arena, "{\"salon\":\"elm-street\",\"message\":\"%s\",\"openSlots\":[\"a\"]}",
            words);
        const struct client_reply *reply = call(scene, arguments, NULL, NULL, CAN_ASK);
        if (is_error_result(reply)) {
            refused++;
            continue;
        }
        asked++;
        const char *issued = state_asked(scene, reply);
        assert_booked(
            scene, call(scene, arguments, "{\"time\":" ACCEPT_TIME("a") "}", issued, CAN_ASK), "a");
    }
    assert_true(asked > 0 && refused > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_an_agent_that_can_ask_when_the_customer_answers_then_it_is_booked),
        SCENARIO(given_a_state_of_one_entrance_when_used_at_the_other_then_once),
        SCENARIO(given_one_state_when_both_entrances_race_for_it_then_one_books),
        SCENARIO(given_an_agent_that_can_ask_when_it_sends_time_then_the_customer_is_asked),
        SCENARIO(given_an_agent_that_cannot_ask_when_it_sends_time_then_it_is_booked),
        SCENARIO(given_the_handshake_era_when_it_calls_then_it_books_with_time),
        SCENARIO(given_no_answer_when_it_comes_then_it_is_asked_again),
        SCENARIO(given_a_wrong_answer_when_it_comes_then_a_right_one_still_completes),
        SCENARIO(given_a_state_that_fails_when_it_comes_then_one_text_says_so),
        SCENARIO(given_wrong_arguments_when_they_come_then_the_agent_reads_what_to_mend),
        SCENARIO_WITHOUT_SERVER(given_http_that_is_not_right_when_it_comes_then_it_is_an_rpc_error),
        SCENARIO(given_a_notification_when_it_comes_then_202_and_nothing_happens),
        SCENARIO_WITHOUT_SERVER(given_no_key_when_agents_book_then_503_and_no_reason),
        SCENARIO_WITHOUT_SERVER(
            given_a_full_memory_when_an_agent_books_then_503_and_nothing_is_spent),
        SCENARIO_WITHOUT_SERVER(given_mcp_off_when_it_is_called_then_there_is_no_such_path),
        SCENARIO_WITHOUT_SERVER(
            given_calls_when_log_and_metrics_are_read_then_they_know_tool_and_outcome),
        SCENARIO_WITHOUT_SERVER(
            given_a_message_near_the_limit_when_asked_then_its_round_two_fits_or_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
