/* One POST against servers that do what servers may not do: cases H1 to H6. */
#include "fixtures.h"

#include "conversation.h"
#include "scripted_server.h"
#include "transport.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BOOKED                                                                                     \
    "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"sat-10:30 is "                  \
    "yours.\",\"slot\":"                                                                           \
    "\"sat-10:30\",\"status\":\"booked\"}}"
#define BOOKED_LENGTH "112"
#define BOOKED_REPLY                                                                               \
    "HTTP/1.1 200 OK\r\nContent-Type: "                                                            \
    "application/json;charset=utf-8\r\nContent-Length: " BOOKED_LENGTH "\r\n\r\n" BOOKED
#define BOOKED_CHUNKED                                                                             \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"      \
    "70\r\n" BOOKED "\r\n0\r\n\r\n"
#define BOOKED_UNTIL_CLOSED "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" BOOKED
#define JSON_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

static const struct round_request a_request = {ROW_BYTES("/salons/elm%2Fstreet/book"),
                                               ROW_BYTES("{\"arguments\":{}}")};

static int set_up_library(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return transport_library_init() == STATUS_OK ? 0 : -1;
}

static int tear_down_library(void **state) {
    (void)state;
    transport_library_done();
    return 0;
}

static struct transport *transport_to(const char *url, long timeout, int interrupt_file) {
    const struct transport_config config = {
        .url = url, .timeout = timeout, .interrupt_file = interrupt_file};
    struct transport *transport = NULL;
    const char *problem = "";
    if (transport_new(&config, &transport, &problem) != STATUS_OK)
        fail_msg("%s: %s", url, problem);
    return transport;
}

/* A server that plays its script, and a transport that posts to it. */
struct scene {
    struct scripted_server *server;
    struct transport *transport;
};

enum { TIMEOUT_LONG = 60000, TIMEOUT_SHORT = 300, BUSY_MACHINE = 5000 };

static struct scene open_scene(const struct script_step *steps, size_t count, long timeout) {
    struct scene scene = {.server = scripted_server_start(steps, count)};
    assert_non_null(scene.server);
    scene.transport = transport_to(scripted_server_url(scene.server), timeout, -1);
    return scene;
}

static void close_scene(struct scene *scene) {
    transport_free(scene->transport);
    scripted_server_free(scene->server);
}

static struct transport_result post(const struct scene *scene) {
    struct transport_result result;
    assert_int_equal(transport_post(scene->transport, &a_request, &result), STATUS_OK);
    return result;
}

static bool is(struct bytes bytes, const char *text) {
    return bytes_equal(bytes, bytes_of_text(text));
}

static bool request_has(const struct scripted_server *server, size_t index, const char *text) {
    struct bytes request = scripted_server_request(server, index);
    return request.size > 0 && strcasestr((const char *)request.data, text) != NULL;
}

static void given_a_server_when_posted_to_then_the_request_is_plain(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(BOOKED_REPLY)}};
    struct scene scene = open_scene(steps, 1, TIMEOUT_LONG);
    struct transport_result result = post(&scene);
    assert_int_equal(result.reply.kind, REPLY_WHOLE);
    assert_int_equal(result.reply.status, 200);
    assert_true(result.reply.is_json);
    assert_true(result.reply.request_sent);
    assert_true(is(result.reply.body, BOOKED));
    assert_null(result.detail);
    scripted_server_stop(scene.server);
    assert_true(request_has(scene.server, 0, "POST /salons/elm%2Fstreet/book HTTP/1.1\r\n"));
    assert_true(request_has(scene.server, 0, "\r\nContent-Type: application/json\r\n"));
    assert_true(request_has(scene.server, 0, "\r\nContent-Length: 16\r\n"));
    assert_false(request_has(scene.server, 0, "Expect:"));
    assert_true(is(scripted_server_body(scene.server, 0), "{\"arguments\":{}}"));
    close_scene(&scene);
}

/* A body past every size at which libcurl would ask for leave, and a server that never gives it. */
static void given_a_large_body_when_posted_then_nothing_waits_for_a_100(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(BOOKED_REPLY)}};
    static unsigned char body[1048000];
    memset(body, ' ', sizeof body);
    struct scene scene = open_scene(steps, 1, TIMEOUT_LONG);
    const struct round_request request = {ROW_BYTES("/x"), {body, sizeof body}};
    struct transport_result result;
    assert_int_equal(transport_post(scene.transport, &request, &result), STATUS_OK);
    assert_int_equal(result.reply.status, 200);
    scripted_server_stop(scene.server);
    assert_false(request_has(scene.server, 0, "Expect:"));
    close_scene(&scene);
}

/* Case H2: what counts as JSON. */
static void given_a_label_when_the_reply_comes_then_it_is_json_or_not(void **state) {
    (void)state;
    static const struct {
        struct script_step step;
        bool is_json;
    } rows[] = {
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")}, false},
        {{.reply = ROW_BYTES(JSON_HEAD "Content-Length: 0\r\n\r\n")}, true},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\ncontent-type:APPLICATION/JSON\r\n\r\n")}, true},
        {{.reply =
              ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/json ; charset=x\r\n\r\n")},
         true},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/json;\r\n\r\n")}, true},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/jsonp\r\n\r\n")}, false},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")}, false},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type:\r\n\r\n")}, false},
        {{.reply = ROW_BYTES(JSON_HEAD "Content-Type: text/html\r\n\r\n")}, false},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: "
                             "application/json\r\n\r\n")},
         false},
        {{.reply = ROW_BYTES("HTTP/1.1 103 Early Hints\r\nContent-Type: application/json\r\n\r\n"
                             "HTTP/1.1 200 OK\r\n\r\n")},
         false},
        {{.reply =
              ROW_BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Type: "
                        "application/json\r\n\r\n")},
         false},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct scene scene = open_scene(&rows[i].step, 1, TIMEOUT_LONG);
        struct transport_result result = post(&scene);
        if (result.reply.kind != REPLY_WHOLE || result.reply.status != 200 ||
            result.reply.is_json != rows[i].is_json)
            fail_msg("row %zu: kind %d, status %u, JSON %d", i, (int)result.reply.kind,
                     result.reply.status, result.reply.is_json);
        close_scene(&scene);
    }
}

static void given_interim_replies_when_posted_then_the_final_one_counts(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: "
                            "x\r\n\r\n" BOOKED_REPLY),
         .is_in_pieces = true},
        {.reply = ROW_BYTES("HTTP/1.1 100 Continue\r\n\r\n")},
    };
    struct scene scene = open_scene(steps, 2, TIMEOUT_LONG);
    struct transport_result result = post(&scene);
    assert_int_equal(result.reply.status, 200);
    assert_true(is(result.reply.body, BOOKED));
    assert_int_equal(post(&scene).reply.kind, REPLY_NONE);
    close_scene(&scene);
}

/* Case H1: the connection is kept open for one more request, which the server reads and closes. */
static void given_a_server_that_reads_and_closes_when_posted_to_then_it_is_sent_once(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply =
             ROW_BYTES("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"),
         .end = SCRIPT_KEEP},
        {.reply = ROW_BYTES("")},
        {.reply = ROW_BYTES(""), .end = SCRIPT_RESET},
    };
    struct scene scene = open_scene(steps, LENGTH_OF(steps), TIMEOUT_LONG);
    assert_int_equal(post(&scene).reply.kind, REPLY_WHOLE);
    for (size_t i = 1; i < LENGTH_OF(steps); i++) {
        struct transport_result result = post(&scene);
        assert_int_equal(result.reply.kind, REPLY_NONE);
        assert_true(result.reply.request_sent);
        assert_non_null(result.detail);
    }
    scripted_server_stop(scene.server);
    assert_int_equal(scripted_server_requests(scene.server), LENGTH_OF(steps));
    assert_int_equal(scripted_server_connections(scene.server), LENGTH_OF(steps));
    close_scene(&scene);
}

static void given_a_server_that_is_down_when_posted_to_then_nothing_was_sent(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(BOOKED_REPLY), .is_last = true}};
    struct scene scene = open_scene(steps, 1, TIMEOUT_LONG);
    assert_int_equal(post(&scene).reply.kind, REPLY_WHOLE);
    struct transport_result result = post(&scene);
    assert_int_equal(result.reply.kind, REPLY_NONE);
    assert_false(result.reply.request_sent);
    assert_non_null(result.detail);
    close_scene(&scene);
}

/* Case H3. */
static void given_a_redirect_when_posted_then_nothing_is_sent_there(void **state) {
    (void)state;
    static const struct script_step bait = {.reply = ROW_BYTES(BOOKED_REPLY)};
    static const unsigned statuses[] = {301, 302, 303, 307, 308};
    struct scripted_server *elsewhere = scripted_server_start(&bait, 1);
    assert_non_null(elsewhere);
    for (size_t i = 0; i < LENGTH_OF(statuses); i++) {
        char text[256];
        int size = snprintf(text, sizeof text,
                            "HTTP/1.1 %u Elsewhere\r\nLocation:  %s/salons/x/book \r\n"
                            "Content-Length: 0\r\n\r\n",
                            statuses[i], scripted_server_url(elsewhere));
        const struct script_step step = {.reply = {(unsigned char *)text, (size_t)size}};
        struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
        struct transport_result result = post(&scene);
        assert_int_equal(result.reply.kind, REPLY_WHOLE);
        assert_int_equal(result.reply.status, statuses[i]);
        char location[128];
        snprintf(location, sizeof location, "%s/salons/x/book", scripted_server_url(elsewhere));
        assert_true(is(result.reply.location, location));
        close_scene(&scene);
    }
    scripted_server_stop(elsewhere);
    assert_int_equal(scripted_server_connections(elsewhere), 0);
    scripted_server_free(elsewhere);
}

static void given_a_location_without_a_redirect_when_posted_then_it_is_not_kept(void **state) {
    (void)state;
    static const struct script_step step = {
        .reply = ROW_BYTES("HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")};
    struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
    assert_int_equal(post(&scene).reply.location.size, 0);
    close_scene(&scene);
}

static void given_a_long_location_when_redirected_then_its_beginning_is_kept(void **state) {
    (void)state;
    static char text[10000];
    int size = snprintf(text, sizeof text, "HTTP/1.1 302 Found\r\nLocation: /%09000d\r\n\r\n", 0);
    const struct script_step step = {.reply = {(unsigned char *)text, (size_t)size}};
    struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
    assert_int_equal(post(&scene).reply.location.size, TRANSPORT_LOCATION_SIZE_MAX);
    close_scene(&scene);
}

/* A conversation that waits for the reply to its answer. */
static struct conversation *answered(void) {
    static const struct bytes slot = ROW_BYTES("sat-10:30");
    struct conversation *conversation = NULL;
    struct round_request request;
    const struct round_reply question = {
        .kind = REPLY_WHOLE,
        .is_json = true,
        .status = 200,
        .body = ROW_BYTES(
            "{\"inputRequests\":{\"time\":{\"method\":\"elicitation/create\",\"params\":{"
            "\"message\":\"?\",\"requestedSchema\":{\"properties\":{\"time\":{\"enum\":["
            "\"sat-10:30\"]}}}}}},\"requestState\":\"s\",\"resultType\":\"input_required\""
            "}"),
    };
    assert_int_equal(conversation_new(&conversation), STATUS_OK);
    assert_int_equal(conversation_start(conversation, BYTES("elm"), BYTES("x"), &slot, 1, &request),
                     STATUS_OK);
    assert_int_equal(conversation_reply(conversation, &question), STATUS_OK);
    assert_int_equal(conversation_answer(conversation, 0, &request), STATUS_OK);
    return conversation;
}

/* Plays the first `size` bytes of a reply as round two's; what the conversation makes of it. */
static enum conversation_phase play_cut(struct bytes reply, size_t size, enum script_end end,
                                        char problem[64]) {
    const struct script_step step = {.reply = bytes_up_to(reply, size), .end = end};
    struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
    struct conversation *conversation = answered();
    struct transport_result result = post(&scene);
    assert_int_equal(conversation_reply(conversation, &result.reply), STATUS_OK);
    enum conversation_phase phase = conversation_phase(conversation);
    if (phase == CONVERSATION_FAILED) {
        struct bytes text = conversation_problem(conversation)->text;
        snprintf(problem, 64, "%.*s", (int)text.size, (const char *)text.data);
        if (!conversation_problem(conversation)->may_be_booked)
            fail_msg("cut at %zu: the visit may be booked, but nobody says so", size);
    }
    conversation_free(conversation);
    close_scene(&scene);
    return phase;
}

/* Case H4. */
static void given_a_real_reply_when_cut_at_any_byte_then_it_is_never_a_booking(void **state) {
    (void)state;
    static const struct bytes replies[] = {ROW_BYTES(BOOKED_REPLY), ROW_BYTES(BOOKED_CHUNKED),
                                           ROW_BYTES(BOOKED_UNTIL_CLOSED)};
    assert_int_equal(sizeof BOOKED - 1, 112);
    for (size_t i = 0; i < LENGTH_OF(replies); i++) {
        size_t head = (size_t)(strstr((const char *)replies[i].data, "\r\n\r\n") -
                               (const char *)replies[i].data) +
                      4;
        for (size_t size = 0; size < replies[i].size; size++) {
            char problem[64] = "booked";
            play_cut(replies[i], size, SCRIPT_CLOSE, problem);
            const char *expected = size < head ? "round two: the server gave no reply"
                                               : "round two: the reply can't be read";
            if (strcmp(problem, expected) != 0)
                fail_msg("reply %zu cut at %zu: %s", i, size, problem);
        }
        char problem[64] = "";
        assert_int_equal(play_cut(replies[i], replies[i].size, SCRIPT_CLOSE, problem),
                         CONVERSATION_DONE);
    }
}

static void given_a_real_reply_when_reset_at_any_byte_then_it_is_never_a_booking(void **state) {
    (void)state;
    static const struct bytes reply = ROW_BYTES(BOOKED_REPLY);
    for (size_t size = 0; size < reply.size; size++) {
        char problem[64] = "booked";
        assert_int_equal(play_cut(reply, size, SCRIPT_RESET, problem), CONVERSATION_FAILED);
    }
}

static void given_framing_that_is_broken_when_posted_then_it_is_never_a_booking(void **state) {
    (void)state;
    static const struct bytes replies[] = {
        ROW_BYTES(JSON_HEAD "Content-Length: 0\r\n\r\n" BOOKED),
        ROW_BYTES(JSON_HEAD "\r\n"),
        ROW_BYTES(JSON_HEAD "Content-Length: 50\r\n\r\n{\"resultType\":\"comp"),
        ROW_BYTES(JSON_HEAD "Content-Length: 500\r\n\r\n" BOOKED),
        ROW_BYTES(JSON_HEAD "Content-Length: 111\r\n\r\n" BOOKED),
        ROW_BYTES(JSON_HEAD "Content-Length: -1\r\n\r\n" BOOKED),
        ROW_BYTES(JSON_HEAD "Transfer-Encoding: chunked\r\n\r\n70\r\n" BOOKED "\r\n"),
        ROW_BYTES(JSON_HEAD "Transfer-Encoding: chunked\r\n\r\n70\r\n" BOOKED "\r\n0\r\n"),
        ROW_BYTES(JSON_HEAD "Transfer-Encoding: chunked\r\n\r\nxyz\r\n" BOOKED "\r\n0\r\n\r\n"),
        ROW_BYTES(JSON_HEAD "Transfer-Encoding: gzip\r\n\r\n" BOOKED),
        ROW_BYTES(BOOKED),
        ROW_BYTES("ICY 200 OK\r\n\r\n" BOOKED),
        ROW_BYTES("HTTP/1.1 2000 OK\r\n\r\n" BOOKED),
        ROW_BYTES("HTTP/1.1\r\n\r\n" BOOKED),
        ROW_BYTES("\r\n\r\n" BOOKED),
    };
    for (size_t i = 0; i < LENGTH_OF(replies); i++) {
        char problem[64] = "booked";
        if (play_cut(replies[i], replies[i].size, SCRIPT_CLOSE, problem) != CONVERSATION_FAILED)
            fail_msg("reply %zu is taken for a booking", i);
    }
}

static int64_t milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Case H6: silence, headers without an end, and a body without an end. */
static void given_a_server_that_stalls_when_posted_to_then_it_ends_within_the_limit(void **state) {
    (void)state;
    static const struct {
        struct script_step step;
        enum reply_kind kind;
    } rows[] = {
        {{.reply = ROW_BYTES(""), .end = SCRIPT_HOLD}, REPLY_NONE},
        {{.reply = ROW_BYTES(""), .end = SCRIPT_HOLD, .reads_nothing = true}, REPLY_NONE},
        {{.reply = ROW_BYTES("HTTP/1.1 100 Continue\r\n\r\n"), .end = SCRIPT_HOLD}, REPLY_NONE},
        {{.reply = ROW_BYTES(JSON_HEAD), .end = SCRIPT_HOLD}, REPLY_NONE},
        {{.reply = ROW_BYTES(JSON_HEAD "\r\n" BOOKED), .end = SCRIPT_HOLD}, REPLY_CUT},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct scene scene = open_scene(&rows[i].step, 1, TIMEOUT_SHORT);
        int64_t before = milliseconds();
        struct transport_result result = post(&scene);
        int64_t passed = milliseconds() - before;
        assert_int_equal(result.reply.kind, rows[i].kind);
        if (passed < TIMEOUT_SHORT - 50 || passed > TIMEOUT_SHORT + BUSY_MACHINE)
            fail_msg("row %zu took %d ms", i, (int)passed);
        close_scene(&scene);
    }
}

static void given_a_reply_over_the_ceiling_when_posted_then_it_cant_be_read(void **state) {
    (void)state;
    static char text[TRANSPORT_REPLY_SIZE_MAX + 4096];
    static const size_t extra[] = {0, 1, 2048};
    for (size_t i = 0; i < LENGTH_OF(extra); i++) {
        size_t head = (size_t)snprintf(text, sizeof text, JSON_HEAD "\r\n");
        memset(text + head, ' ', TRANSPORT_REPLY_SIZE_MAX + extra[i]);
        const struct script_step step = {
            .reply = {(unsigned char *)text, head + TRANSPORT_REPLY_SIZE_MAX + extra[i]}};
        struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
        struct transport_result result = post(&scene);
        assert_int_equal(result.reply.kind, extra[i] == 0 ? REPLY_WHOLE : REPLY_CUT);
        assert_true(result.reply.body.size <= TRANSPORT_REPLY_SIZE_MAX);
        close_scene(&scene);
    }
}

static void given_a_refusal_without_end_when_posted_then_its_status_is_enough(void **state) {
    (void)state;
    static const struct script_step step = {
        .reply = ROW_BYTES("HTTP/1.1 503 Busy\r\nContent-Length: 100000\r\n\r\nbusy"),
        .end = SCRIPT_HOLD};
    struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
    struct transport_result result = post(&scene);
    assert_int_equal(result.reply.kind, REPLY_WHOLE);
    assert_int_equal(result.reply.status, 503);
    assert_int_equal(result.reply.body.size, 0);
    close_scene(&scene);
}

/* Case H5. */
static void given_a_dead_proxy_when_the_server_is_on_this_machine_then_it_works(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)}};
    static const char *const hosts[] = {"127.0.0.1", "127.1", "localhost", "LocalHost",
                                        "tandem.localhost"};
    struct scripted_server *server = scripted_server_start(steps, LENGTH_OF(steps));
    assert_non_null(server);
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("all_proxy", "http://127.0.0.1:1", 1);
    for (size_t i = 0; i < LENGTH_OF(hosts); i++) {
        char url[64];
        snprintf(url, sizeof url, "http://%s:%u", hosts[i], scripted_server_port(server));
        struct transport *transport = transport_to(url, TIMEOUT_LONG, -1);
        struct transport_result result;
        assert_int_equal(transport_post(transport, &a_request, &result), STATUS_OK);
        if (result.reply.kind != REPLY_WHOLE)
            fail_msg("%s: %s", hosts[i], result.detail);
        transport_free(transport);
    }
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    scripted_server_free(server);
}

static void given_a_dead_proxy_when_the_server_is_at_ipv6_loopback_then_it_works(void **state) {
    (void)state;
    static const struct script_step step = {.reply = ROW_BYTES(BOOKED_REPLY)};
    struct scripted_server *server = scripted_server_start_v6(&step, 1);
    if (server == NULL)
        skip(); /* this machine has no IPv6 */
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    struct transport *transport = transport_to(scripted_server_url(server), TIMEOUT_LONG, -1);
    struct transport_result result;
    assert_int_equal(transport_post(transport, &a_request, &result), STATUS_OK);
    unsetenv("http_proxy");
    assert_int_equal(result.reply.kind, REPLY_WHOLE);
    transport_free(transport);
    scripted_server_free(server);
}

static void given_a_proxy_when_the_server_is_elsewhere_then_it_is_used(void **state) {
    (void)state;
    static const struct script_step step = {.reply = ROW_BYTES(BOOKED_REPLY)};
    struct scripted_server *proxy = scripted_server_start(&step, 1);
    assert_non_null(proxy);
    setenv("http_proxy", scripted_server_url(proxy), 1);
    struct transport *transport = transport_to("http://salon.invalid", TIMEOUT_LONG, -1);
    struct transport_result result;
    assert_int_equal(transport_post(transport, &a_request, &result), STATUS_OK);
    unsetenv("http_proxy");
    assert_int_equal(result.reply.kind, REPLY_WHOLE);
    transport_free(transport);
    scripted_server_stop(proxy);
    assert_true(request_has(proxy, 0, "POST http://salon.invalid/salons/elm%2Fstreet/book "));
    scripted_server_free(proxy);
}

static void given_an_interruption_when_posting_then_it_ends_at_once(void **state) {
    (void)state;
    static const struct script_step step = {.end = SCRIPT_HOLD};
    struct scripted_server *server = scripted_server_start(&step, 1);
    assert_non_null(server);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct transport *transport = transport_to(scripted_server_url(server), TIMEOUT_LONG, ends[0]);
    /* It interrupts itself as soon as the server has the request: the pipe is written by a child.
     */
    pid_t child = fork();
    if (child == 0) {
        usleep(100000);
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    struct transport_result result;
    assert_int_equal(transport_post(transport, &a_request, &result), STATUS_OK);
    assert_true(result.is_interrupted);
    assert_int_equal(result.reply.kind, REPLY_NONE);
    assert_true(result.reply.request_sent);
    assert_null(result.detail);
    /* And before anything is sent. */
    assert_int_equal(transport_post(transport, &a_request, &result), STATUS_OK);
    assert_true(result.is_interrupted);
    assert_false(result.reply.request_sent);
    transport_free(transport);
    scripted_server_stop(server);
    assert_int_equal(scripted_server_connections(server), 1);
    scripted_server_free(server);
    close(ends[0]);
    close(ends[1]);
}

static void given_a_url_that_names_more_than_a_server_when_read_then_it_is_refused(void **state) {
    (void)state;
    static const char *const urls[] = {
        "",
        "127.0.0.1:8080",
        "localhost",
        "ftp://localhost",
        "file:///etc/passwd",
        "http://",
        "http://localhost:99999",
        "http://localhost/salons",
        "http://localhost//",
        "http://localhost/?x",
        "http://localhost/#x",
        "http://user@localhost",
        "http://user:word@localhost",
        "http://local host",
        "http://localhost\n",
        "http://localhost/../",
    };
    for (size_t i = 0; i < LENGTH_OF(urls); i++) {
        const struct transport_config config = {
            .url = urls[i], .timeout = TIMEOUT_SHORT, .interrupt_file = -1};
        struct transport *transport = NULL;
        const char *problem = NULL;
        if (transport_new(&config, &transport, &problem) != STATUS_INVALID || problem == NULL)
            fail_msg("\"%s\" is taken", urls[i]);
        assert_null(transport);
    }
    static const char *const good[] = {"http://localhost", "HTTPS://salon.example:8443/",
                                       "http://[::1]:8080", "http://127.0.0.1:1/"};
    for (size_t i = 0; i < LENGTH_OF(good); i++)
        transport_free(transport_to(good[i], TIMEOUT_SHORT, -1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_server_when_posted_to_then_the_request_is_plain),
        cmocka_unit_test(given_a_large_body_when_posted_then_nothing_waits_for_a_100),
        cmocka_unit_test(given_a_label_when_the_reply_comes_then_it_is_json_or_not),
        cmocka_unit_test(given_interim_replies_when_posted_then_the_final_one_counts),
        cmocka_unit_test(given_a_server_that_reads_and_closes_when_posted_to_then_it_is_sent_once),
        cmocka_unit_test(given_a_server_that_is_down_when_posted_to_then_nothing_was_sent),
        cmocka_unit_test(given_a_redirect_when_posted_then_nothing_is_sent_there),
        cmocka_unit_test(given_a_location_without_a_redirect_when_posted_then_it_is_not_kept),
        cmocka_unit_test(given_a_long_location_when_redirected_then_its_beginning_is_kept),
        cmocka_unit_test(given_a_real_reply_when_cut_at_any_byte_then_it_is_never_a_booking),
        cmocka_unit_test(given_a_real_reply_when_reset_at_any_byte_then_it_is_never_a_booking),
        cmocka_unit_test(given_framing_that_is_broken_when_posted_then_it_is_never_a_booking),
        cmocka_unit_test(given_a_server_that_stalls_when_posted_to_then_it_ends_within_the_limit),
        cmocka_unit_test(given_a_reply_over_the_ceiling_when_posted_then_it_cant_be_read),
        cmocka_unit_test(given_a_refusal_without_end_when_posted_then_its_status_is_enough),
        cmocka_unit_test(given_a_dead_proxy_when_the_server_is_on_this_machine_then_it_works),
        cmocka_unit_test(given_a_dead_proxy_when_the_server_is_at_ipv6_loopback_then_it_works),
        cmocka_unit_test(given_a_proxy_when_the_server_is_elsewhere_then_it_is_used),
        cmocka_unit_test(given_an_interruption_when_posting_then_it_ends_at_once),
        cmocka_unit_test(given_a_url_that_names_more_than_a_server_when_read_then_it_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up_library, tear_down_library);
}
