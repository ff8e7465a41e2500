/* Rounds carried over sockets: what of a reply reaches the conversation, and that nothing cut or
 * broken is ever a booking. */
#include "fixtures.h"

#include "conversation.h"
#include "round.h"
#include "scripted_server.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

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

static const struct round_request a_request = {
    ROW_BYTES("/salons/elm%2Fstreet/book"), ROW_BYTES("{\"arguments\":{}}"), ROW_BYTES("\"key\"")};

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

static struct transport *transport_to(const char *url, long timeout) {
    const struct transport_config config = {.url = url,
                                            .timeout = timeout,
                                            .interrupt_file = -1,
                                            .reply_size_max = ROUND_REPLY_SIZE_MAX};
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

enum { TIMEOUT_LONG = 60000 };

static struct scene open_scene(const struct script_step *steps, size_t count, long timeout) {
    struct scene scene = {.server = scripted_server_start(steps, count)};
    assert_non_null(scene.server);
    scene.transport = transport_to(scripted_server_url(scene.server), timeout);
    return scene;
}

static void close_scene(struct scene *scene) {
    transport_free(scene->transport);
    scripted_server_free(scene->server);
}

static struct round_result post(const struct scene *scene) {
    struct round_result result;
    assert_int_equal(round_carry(scene->transport, &a_request, &result), STATUS_OK);
    return result;
}

static bool is(struct bytes bytes, const char *text) {
    return bytes_equal(bytes, bytes_of_text(text));
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
    struct round_result result = post(&scene);
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

static void given_a_reply_when_carried_then_the_conversation_has_what_matters_of_it(void **state) {
    (void)state;
    static const struct {
        struct script_step step;
        enum reply_kind kind;
        unsigned status;
        bool is_json;
        const char *location;
        const char *body;
    } rows[] = {
        {{.reply = ROW_BYTES(BOOKED_REPLY)}, REPLY_WHOLE, 200, true, "", BOOKED},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")},
         REPLY_WHOLE,
         200,
         false,
         "",
         "{}"},
        {{.reply = ROW_BYTES(JSON_HEAD "Content-Length: 9\r\n\r\n{}")},
         REPLY_CUT,
         200,
         true,
         "",
         "{}"},
        {{.reply = ROW_BYTES("HTTP/1.1 307 There\r\nLocation: /x\r\nContent-Length: 2\r\n\r\n{}")},
         REPLY_WHOLE,
         307,
         false,
         "/x",
         ""},
        {{.reply = ROW_BYTES("HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")},
         REPLY_WHOLE,
         201,
         false,
         "",
         ""},
        {{.reply = ROW_BYTES("HTTP/1.1 400 No\r\nContent-Type: application/json\r\n\r\n\"no\"")},
         REPLY_WHOLE,
         400,
         true,
         "",
         ""},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\n")}, REPLY_NONE, 0, false, "", ""},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct scene scene = open_scene(&rows[i].step, 1, TIMEOUT_LONG);
        struct round_result result = post(&scene);
        if (result.reply.kind != rows[i].kind || result.reply.status != rows[i].status ||
            result.reply.is_json != rows[i].is_json ||
            !is(result.reply.location, rows[i].location) || !is(result.reply.body, rows[i].body) ||
            !result.reply.request_sent)
            fail_msg("row %zu: kind %d, status %u", i, (int)result.reply.kind, result.reply.status);
        close_scene(&scene);
    }
}

static void given_a_round_when_carried_then_its_request_is_plain(void **state) {
    (void)state;
    static const struct script_step step = {.reply = ROW_BYTES(BOOKED_REPLY)};
    struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
    post(&scene);
    scripted_server_stop(scene.server);
    const char *request = (const char *)scripted_server_request(scene.server, 0).data;
    assert_non_null(request);
    assert_non_null(strstr(request, "POST /salons/elm%2Fstreet/book HTTP/1.1\r\n"));
    assert_non_null(strstr(request, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(request, "\r\nAccept: application/json\r\n"));
    assert_non_null(strstr(request, "\r\nIdempotency-Key: \"key\"\r\n"));
    assert_true(is(scripted_server_body(scene.server, 0), "{\"arguments\":{}}"));
    close_scene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_reply_when_carried_then_the_conversation_has_what_matters_of_it),
        cmocka_unit_test(given_a_round_when_carried_then_its_request_is_plain),
        cmocka_unit_test(given_a_real_reply_when_cut_at_any_byte_then_it_is_never_a_booking),
        cmocka_unit_test(given_a_real_reply_when_reset_at_any_byte_then_it_is_never_a_booking),
        cmocka_unit_test(given_framing_that_is_broken_when_posted_then_it_is_never_a_booking),
    };
    return cmocka_run_group_tests(tests, set_up_library, tear_down_library);
}
