/* How bodies come: whole, in pieces, chunked, too large, announced first (protocol.md, section 4
 * and Settled corners; cases C1, C3, C6). */
#include "checked_exchange.h"

#include "http_server.h"
#include "protocol_limits.h"

#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static const char too_large[] = "the body is over the limit";
static const char head_of_post[] = "POST /salons/elm-street/book HTTP/1.1\r\nHost: tandem.test\r\n"
                                   "Content-Type: application/json\r\n";

static const char nothing_open[] = "{\"arguments\":{\"message\":\"m\",\"openSlots\":[]}}";

/* A body of that size that completes at once. */
static struct bytes body_of_size(struct arena *arena, size_t size) {
    unsigned char *body = arena_take(arena, size + 1);
    memset(body, ' ', size);
    memcpy(body, nothing_open, strlen(nothing_open));
    return (struct bytes){body, size};
}

/* The body in chunks of at most that many bytes, with the last one of none. */
static struct bytes chunked(struct arena *arena, struct bytes body, size_t chunk_size) {
    struct buffer out = buffer_new(SIZE_MAX);
    for (; body.size > 0; body = bytes_from(body, chunk_size)) {
        struct bytes chunk = bytes_up_to(body, chunk_size);
        buffer_append_text(&out, arena_format(arena, "%zx\r\n", chunk.size));
        buffer_append(&out, chunk);
        buffer_append_text(&out, "\r\n");
    }
    buffer_append_text(&out, "0\r\n\r\n");
    struct bytes copy = arena_copy(arena, buffer_bytes(&out));
    buffer_done(&out);
    return copy;
}

/* A head with these lines beside the usual ones, to be followed by a body. */
static struct bytes head_with(struct arena *arena, const char *lines) {
    return bytes_of_text(arena_format(arena, "%s%s\r\n", head_of_post, lines));
}

static struct bytes head_with_length(struct arena *arena, unsigned long long length,
                                     const char *lines) {
    return head_with(arena, arena_format(arena, "Content-Length: %llu\r\n%s", length, lines));
}

static void assert_asks(struct scene *scene, const struct client_reply *reply) {
    assert_int_equal(reply->status, 200);
    assert_non_null(state_of(&scene->arena, reply));
}

/* Case C3. */
static void given_round_one_when_it_comes_byte_by_byte_then_the_reply_is_the_same(void **state) {
    struct scene *scene = *state;
    const struct client_request request = {.body = round_one(&scene->arena, A_BOOKING)};
    struct client client;
    connect_to(scene, &client);
    assert_true(client_send_byte_by_byte(&client, client_request_bytes(&request, &scene->arena)));
    assert_asks(scene, receive(scene, &client, &request));
    client_close(&client);
}

static void given_round_one_when_it_comes_in_three_parts_then_the_reply_is_the_same(void **state) {
    struct scene *scene = *state;
    const struct client_request request = {.body = round_one(&scene->arena, A_BOOKING)};
    struct bytes all = client_request_bytes(&request, &scene->arena);
    struct client client;
    connect_to(scene, &client);
    send_text(&client, bytes_up_to(all, 30));
    send_text(&client, bytes_up_to(bytes_from(all, 30), all.size - 60));
    send_text(&client, bytes_from(all, all.size - 30));
    assert_asks(scene, receive(scene, &client, &request));
    client_close(&client);
}

static void given_round_one_when_it_comes_chunked_then_the_reply_is_the_same(void **state) {
    struct scene *scene = *state;
    const struct client_request request = {.body = round_one(&scene->arena, A_BOOKING)};
    static const size_t sizes[] = {1, 7, 4096};
    struct client client;
    connect_to(scene, &client);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        send_text(&client, head_with(&scene->arena, "Transfer-Encoding: chunked\r\n"));
        send_text(&client, chunked(&scene->arena, request.body, sizes[i]));
        assert_asks(scene, receive(scene, &client, &request));
    }
    client_close(&client);
}

static void
given_a_kept_connection_when_two_requests_come_at_once_then_both_are_answered(void **state) {
    struct scene *scene = *state;
    const struct client_request asking = {.body = round_one(&scene->arena, A_BOOKING),
                                          .keeps_alive = true};
    const struct client_request refused = {.body = BYTES("{}"), .keeps_alive = true};
    struct client client;
    connect_to(scene, &client);
    send_text(&client, client_request_bytes(&refused, &scene->arena));
    send_text(&client, client_request_bytes(&asking, &scene->arena));
    assert_refused(scene, receive(scene, &client, &refused), 400, "arguments is missing");
    assert_asks(scene, receive(scene, &client, &asking));
    client_close(&client);
}

static void given_a_body_at_the_limit_when_it_grows_by_a_byte_then_it_is_413(void **state) {
    struct scene *scene = *state;
    assert_reply(book(scene, body_of_size(&scene->arena, BODY_SIZE_DEFAULT)), 200,
                 NOTHING_OPEN_BODY);
    assert_refused(scene, book(scene, body_of_size(&scene->arena, BODY_SIZE_DEFAULT + 1)), 413,
                   too_large);
    static const char *const arguments[] = {"--max-body", "2000", NULL};
    scene_start(scene, arguments);
    assert_reply(book(scene, body_of_size(&scene->arena, 2000)), 200, NOTHING_OPEN_BODY);
    assert_refused(scene, book(scene, body_of_size(&scene->arena, 2001)), 413, too_large);
}

static const struct client_request *any_post(void) {
    static const struct client_request request = {.method = "POST"};
    return &request;
}

/* Sends a refused request to its end, and only then reads: the reply must be there, and nothing
 * after it is served. */
static void assert_refused_and_closed(struct scene *scene, struct bytes head, struct bytes body,
                                      const struct client_request *request, unsigned status,
                                      const char *reason) {
    struct client client;
    connect_to(scene, &client);
    send_text(&client, head);
    client_send(&client, body); /* the server may close before it is all there */
    client_send(&client, head_with_length(&scene->arena, strlen(nothing_open), ""));
    client_send(&client, bytes_of_text(nothing_open));
    const struct client_reply *reply = receive(scene, &client, request);
    assert_refused(scene, reply, status, reason);
    assert_string_equal(client_reply_header(reply, "Connection"), "close");
    assert_true(client_sees_end(&client));
    client_close(&client);
}

static void
given_a_large_refused_body_when_it_is_sent_to_its_end_then_the_reply_is_read(void **state) {
    struct scene *scene = *state;
    static const size_t sizes[] = {BODY_SIZE_DEFAULT + 1, 200000, DROPPED_BODY_MAX};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct bytes body = body_of_size(&scene->arena, sizes[i]);
        assert_refused_and_closed(scene, head_with_length(&scene->arena, sizes[i], ""), body,
                                  any_post(), 413, too_large);
    }
}

static void
given_chunks_over_the_limit_when_the_byte_that_crosses_it_comes_then_it_is_413(void **state) {
    struct scene *scene = *state;
    static const size_t sizes[] = {BODY_SIZE_DEFAULT + 1, 200000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct bytes body = body_of_size(&scene->arena, sizes[i]);
        assert_refused_and_closed(scene, head_with(&scene->arena, "Transfer-Encoding: chunked\r\n"),
                                  chunked(&scene->arena, body, 1000), any_post(), 413, too_large);
    }
    assert_int_equal(book(scene, round_one(&scene->arena, A_BOOKING))->status, 200);
}

static void given_chunks_at_the_limit_when_they_end_then_they_are_read(void **state) {
    struct scene *scene = *state;
    struct client client;
    connect_to(scene, &client);
    send_text(&client, head_with(&scene->arena, "Transfer-Encoding: chunked\r\n"));
    send_text(&client,
              chunked(&scene->arena, body_of_size(&scene->arena, BODY_SIZE_DEFAULT), 9999));
    assert_reply(receive(scene, &client, any_post()), 200, NOTHING_OPEN_BODY);
    client_close(&client);
}

/* Case C6, and bodies that are refused for something else. */
static void given_a_declared_length_when_the_request_is_refused_then_at_once(void **state) {
    struct scene *scene = *state;
    const struct client_request elsewhere = {.target = "/nope"};
    struct bytes none = BYTES("");
    assert_refused_and_closed(scene, head_with_length(&scene->arena, 5000000000ULL, ""), none,
                              any_post(), 413, too_large);
    assert_refused_and_closed(scene, head_with_length(&scene->arena, UINT64_MAX, ""), none,
                              any_post(), 413, too_large);
    assert_refused_and_closed(
        scene, bytes_of_text("POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n"),
        body_of_size(&scene->arena, 200000), &elsewhere, 404, "there is nothing at this path");
}

static void given_expect_continue_when_the_body_will_be_read_then_it_is_asked_for(void **state) {
    struct scene *scene = *state;
    const struct client_request request = {.body = round_one(&scene->arena, A_BOOKING)};
    struct client client;
    connect_to(scene, &client);
    send_text(&client,
              head_with_length(&scene->arena, request.body.size, "Expect: 100-continue\r\n"));
    receive_continue(scene, &client);
    send_text(&client, request.body);
    assert_asks(scene, receive(scene, &client, &request));
    client_close(&client);
}

static void given_expect_continue_when_the_request_is_refused_then_there_is_no_100(void **state) {
    struct scene *scene = *state;
    static const struct {
        const char *head;
        const char *target;
        unsigned status;
    } rows[] = {
        {"POST /salons/elm-street/book HTTP/1.1\r\nContent-Type: application/json\r\n"
         "Content-Length: 65537\r\n",
         NULL, 413},
        {"POST /salons/elm-street/book HTTP/1.1\r\nContent-Length: 100\r\n", NULL, 415},
        {"PUT /salons/elm-street/book HTTP/1.1\r\nContent-Length: 100\r\n", NULL, 405},
        {"POST /nope HTTP/1.1\r\nContent-Length: 65537\r\n", "/nope", 404},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct client client;
        const struct client_request request = {.target = rows[i].target};
        connect_to(scene, &client);
        send_text(&client,
                  bytes_of_text(arena_format(
                      &scene->arena, "%sHost: x\r\nExpect: 100-continue\r\n\r\n", rows[i].head)));
        assert_int_equal(receive(scene, &client, &request)->status, rows[i].status);
        assert_true(client_sees_end(&client));
        client_close(&client);
    }
}

/* Case C1. */
static void
given_framing_that_reads_two_ways_when_it_comes_then_nothing_after_it_is_served(void **state) {
    struct scene *scene = *state;
    static const struct {
        const char *lines;
        const char *reason;
    } rows[] = {
        {"Content-Length: 44\r\nContent-Length: 44\r\n", "Content-Length is given twice"},
        {"Content-Length: 4\r\nContent-Length: 44\r\n", "Content-Length is given twice"},
        {"Content-Length: 44\r\nTransfer-Encoding: chunked\r\n",
         "Content-Length and Transfer-Encoding don't go together"},
        {"Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding must be chunked, once"},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
         "Transfer-Encoding must be chunked, once"},
        {"Content-Length : 44\r\n", "a header's name is not a token"},
        {"Content-Length: 44\r\nHost: other.test\r\n", "Host is given twice"},
        {"", "the body is empty"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_refused_and_closed(scene, head_with(&scene->arena, rows[i].lines),
                                  bytes_of_text(nothing_open), any_post(), 400, rows[i].reason);
    static const char without_host[] = "POST /salons/elm-street/book HTTP/1.1\r\n"
                                       "Content-Type: application/json\r\n"
                                       "Content-Length: 44\r\n\r\n";
    assert_refused_and_closed(scene, bytes_of_text(without_host), bytes_of_text(nothing_open),
                              any_post(), 400, "Host is missing");
}

/* Case F10: what the library answers itself. */
static void given_no_readable_http_when_it_comes_then_the_library_answers_and_closes(void **state) {
    struct scene *scene = *state;
    char *long_line = arena_take(&scene->arena, 40001);
    memset(long_line, 'x', 40000);
    const struct {
        const char *text;
        unsigned status;
    } rows[] = {
        {"GET / HTTP/9.9\r\nHost: x\r\n\r\n", 505},
        {"POST /salons/e/book HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n", 400},
        {"POST /salons/e/book HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},
        {"POST /salons/e/book HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
         413},
        {arena_format(&scene->arena, "%sTransfer-Encoding: chunked\r\n\r\nzz\r\n", head_of_post),
         400},
        {arena_format(&scene->arena, "GET / HTTP/1.1\r\nHost: x\r\nX: %s\r\n\r\n", long_line), 431},
        {arena_format(&scene->arena, "GET /%s HTTP/1.1\r\nHost: x\r\n\r\n", long_line), 414},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct client client;
        connect_to(scene, &client);
        client_send(&client, bytes_of_text(rows[i].text));
        receive_library_page(scene, &client, rows[i].status);
        client_close(&client);
    }
    assert_int_equal(book(scene, round_one(&scene->arena, A_BOOKING))->status, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_round_one_when_it_comes_byte_by_byte_then_the_reply_is_the_same),
        SCENARIO(given_round_one_when_it_comes_in_three_parts_then_the_reply_is_the_same),
        SCENARIO(given_round_one_when_it_comes_chunked_then_the_reply_is_the_same),
        SCENARIO(given_a_kept_connection_when_two_requests_come_at_once_then_both_are_answered),
        SCENARIO(given_a_body_at_the_limit_when_it_grows_by_a_byte_then_it_is_413),
        SCENARIO(given_a_large_refused_body_when_it_is_sent_to_its_end_then_the_reply_is_read),
        SCENARIO(given_chunks_over_the_limit_when_the_byte_that_crosses_it_comes_then_it_is_413),
        SCENARIO(given_chunks_at_the_limit_when_they_end_then_they_are_read),
        SCENARIO(given_a_declared_length_when_the_request_is_refused_then_at_once),
        SCENARIO(given_expect_continue_when_the_body_will_be_read_then_it_is_asked_for),
        SCENARIO(given_expect_continue_when_the_request_is_refused_then_there_is_no_100),
        SCENARIO(given_framing_that_reads_two_ways_when_it_comes_then_nothing_after_it_is_served),
        SCENARIO(given_no_readable_http_when_it_comes_then_the_library_answers_and_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
