/* Paths, methods, content types and headers of the route over HTTP (protocol.md, sections 2 and 4;
 * cases C7, F10, H2). That every reply carries its headers is the validator's to see. */
#include "checked_exchange.h"

#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static const char not_found[] = "there is nothing at this path";
static const char wrong_method[] = "this path doesn't take that method; see Allow";
static const char wrong_type[] = "the body must be JSON: send Content-Type: application/json";

static const struct client_reply *post(struct scene *scene, const char *target) {
    return exchange(scene, &(struct client_request){
                               .target = target,
                               .body = round_one(&scene->arena, A_BOOKING),
                           });
}

struct path_row {
    const char *target;
    unsigned status;
    const char *reason; /* of a refusal */
};

static void check_path(struct scene *scene, const struct path_row *row) {
    const struct client_reply *reply = post(scene, row->target);
    const char *reason = reason_of(&scene->arena, reply);
    bool right = reply->status == row->status &&
                 (row->reason == NULL || (reason != NULL && strcmp(reason, row->reason) == 0));
    if (!right)
        fail_msg("%s: %u %s", row->target, reply->status, (const char *)reply->body.data);
}

static void given_a_path_when_posted_to_then_it_is_the_route_or_refused(void **state) {
    static const struct path_row rows[] = {
        {"/salons/elm-street/book", 200, NULL},
        {"/salons/elm-street/book?x=/y", 200, NULL},
        {"/%73alons/elm-street/%62ook", 200, NULL},
        {"/salons/elm%2Fstreet/book", 200, NULL},
        {"/salons/.../book", 200, NULL},
        {"http://tandem.test/salons/elm-street/book", 200, NULL},
        {"/", 404, not_found},
        {"/nope", 404, not_found},
        {"/salons", 404, not_found},
        {"/salons/elm-street", 404, not_found},
        {"/salons/elm-street/book/", 404, not_found},
        {"/salons/elm-street/book/x", 404, not_found},
        {"/salons/elm-street/Book", 404, not_found},
        {"//salons/elm-street/book", 404, not_found},
        {"/salons//book", 404, not_found},
        {"/salons/./book", 404, not_found},
        {"/salons/../book", 404, not_found},
        {"/salons/%2e%2E/book", 404, not_found},
        {"/salons/%2e/book", 404, not_found},
        {"/salons/elm-street%2Fbook", 404, not_found},
        {"/salons/elm-street/book#x", 404, not_found},
        {"/salons/elm%00x/book", 400, "the path holds a NUL"},
        {"/salons/elm%zz/book", 400, "the path has a broken % escape"},
        {"/salons/elm%2/book", 400, "the path has a broken % escape"},
        {"/salons/elm%/book", 400, "the path has a broken % escape"},
        {"/salons/%FF/book", 400, "the path is not UTF-8"},
        {"/salons/%ED%A0%80/book", 400, "the path is not UTF-8"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        check_path(*state, &rows[i]);
}

static void
given_one_salon_written_in_two_ways_when_booked_then_it_is_the_same_salon(void **state) {
    struct scene *scene = *state;
    const char *issued = ask_for(scene, "elm-street", A_BOOKING);
    assert_reply(
        book_at(scene, "%65lm%2Dstreet", round_two(&scene->arena, A_BOOKING, DECLINE, issued)), 200,
        NOT_CHOSEN_BODY);
    issued = ask_for(scene, "a%2Fb", A_BOOKING);
    assert_reply(book_at(scene, "a%2fb", round_two(&scene->arena, A_BOOKING, DECLINE, issued)), 200,
                 NOT_CHOSEN_BODY);
}

static void given_a_salon_at_its_limit_when_it_grows_by_a_byte_then_it_is_refused(void **state) {
    struct scene *scene = *state;
    char salon[258] = "";
    memset(salon, 's', 256);
    assert_int_equal(book_at(scene, salon, round_one(&scene->arena, A_BOOKING))->status, 200);
    memset(salon, 's', 257);
    assert_refused(scene, book_at(scene, salon, round_one(&scene->arena, A_BOOKING)), 400,
                   "the salon is longer than 256 bytes");
}

static void check_method(struct scene *scene, const char *method, const char *target,
                         const char *allow) {
    const struct client_reply *reply =
        exchange(scene, &(struct client_request){.method = method, .target = target});
    const char *allowed = client_reply_header(reply, "Allow");
    if (reply->status != 405 || allowed == NULL || strcmp(allowed, allow) != 0)
        fail_msg("%s %s: %u, Allow: %s", method, target, reply->status,
                 allowed == NULL ? "none" : allowed);
    if (strcmp(method, "HEAD") != 0)
        assert_refused(scene, reply, 405, wrong_method);
}

static void given_another_method_when_it_comes_then_allow_lists_the_right_ones(void **state) {
    static const char *const methods[] = {"PUT",     "PATCH", "DELETE", "OPTIONS",
                                          "CONNECT", "TRACE", "BOOK",   "post"};
    for (size_t i = 0; i < COUNT(methods); i++) {
        check_method(*state, methods[i], "/salons/elm-street/book", "POST");
        check_method(*state, methods[i], "/openapi.json", "GET, HEAD");
    }
    check_method(*state, "GET", "/salons/elm-street/book", "POST");
    check_method(*state, "HEAD", "/salons/elm-street/book", "POST");
    check_method(*state, "POST", "/openapi.json", "GET, HEAD");
}

static void given_another_method_when_the_path_is_unknown_then_it_is_404(void **state) {
    struct scene *scene = *state;
    static const char *const methods[] = {"GET", "PUT", "OPTIONS", "DELETE"};
    for (size_t i = 0; i < COUNT(methods); i++)
        assert_refused(
            scene,
            exchange(scene, &(struct client_request){.method = methods[i], .target = "/nope"}), 404,
            not_found);
    assert_refused(scene,
                   exchange(scene, &(struct client_request){.method = "OPTIONS", .target = "*"}),
                   404, not_found);
}

/* Case H2. */
static void
given_a_content_type_when_it_is_not_json_then_the_refusal_says_what_to_send(void **state) {
    struct scene *scene = *state;
    static const struct {
        const char *content_type;
        unsigned status;
    } rows[] = {
        {"application/json", 200},
        {"application/json; charset=utf-8", 200},
        {"application/json;charset=\"utf-8\"", 200},
        {"Application/JSON", 200},
        {"application/json;", 200},
        {"application/json ; x=y", 200},
        {"", 415},
        {"application/x-www-form-urlencoded", 415},
        {"text/plain", 415},
        {"text/json", 415},
        {"application/json5", 415},
        {"application/*", 415},
        {"application/json, text/plain", 415},
        {"application/json\r\nContent-Type: application/json", 415},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct client_reply *reply =
            exchange(scene, &(struct client_request){
                                .content_type = rows[i].content_type,
                                .body = round_one(&scene->arena, A_BOOKING),
                            });
        if (reply->status != rows[i].status)
            fail_msg("%s: %u", rows[i].content_type, reply->status);
        if (reply->status == 415)
            assert_refused(scene, reply, 415, wrong_type);
    }
}

static void given_no_key_when_booking_then_503_says_nothing_of_why(void **state) {
    struct scene *scene = *state;
    scene_start_without_key(scene, NULL);
    const struct bytes bodies[] = {
        round_one(&scene->arena, A_BOOKING),
        round_one(&scene->arena, "{\"message\":\"\",\"openSlots\":[]}"),
        round_two(&scene->arena, A_BOOKING, DECLINE, "x.y"),
        bytes_of_text("{\"arguments\":" A_BOOKING ",\"requestState\":\"x\"}"),
    };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        const struct client_reply *reply = book(scene, bodies[i]);
        assert_refused(scene, reply, 503, "the booking service is unavailable");
        assert_non_null(client_reply_header(reply, "Retry-After"));
    }
    assert_int_equal(book(scene, bytes_of_text("{}"))->status, 400);
    assert_int_equal(post(scene, "/nope")->status, 404);
    assert_int_equal(
        exchange(scene, &(struct client_request){.method = "GET", .target = "/openapi.json"})
            ->status,
        200);
}

static void
given_head_when_the_document_is_asked_for_then_there_is_its_size_and_no_body(void **state) {
    struct scene *scene = *state;
    struct client client;
    connect_to(scene, &client);
    const struct client_request head = {
        .method = "HEAD", .target = "/openapi.json", .keeps_alive = true};
    const struct client_request get = {
        .method = "GET", .target = "/openapi.json", .keeps_alive = true};
    send_text(&client, client_request_bytes(&head, &scene->arena));
    send_text(&client, client_request_bytes(&get, &scene->arena));
    const struct client_reply *to_head = receive(scene, &client, &head);
    const struct client_reply *to_get = receive(scene, &client, &get);
    client_close(&client);
    assert_int_equal(to_head->status, 200);
    assert_int_equal(to_get->status, 200);
    assert_string_equal(client_reply_header(to_head, "Content-Length"),
                        client_reply_header(to_get, "Content-Length"));
}

static void given_a_request_id_when_it_is_safe_then_it_comes_back(void **state) {
    struct scene *scene = *state;
    const struct client_reply *kept =
        exchange(scene, &(struct client_request){.headers = "X-Request-Id: app-7f3a.42_B\r\n",
                                                 .body = round_one(&scene->arena, A_BOOKING)});
    assert_string_equal(client_reply_header(kept, "X-Request-Id"), "app-7f3a.42_B");
    const struct client_reply *replaced =
        exchange(scene, &(struct client_request){.headers = "X-Request-Id: a b\r\n",
                                                 .body = round_one(&scene->arena, A_BOOKING)});
    assert_int_equal(replaced->status, 200);
    assert_string_not_equal(client_reply_header(replaced, "X-Request-Id"), "a b");
    const struct client_reply *next = book(scene, round_one(&scene->arena, A_BOOKING));
    assert_string_not_equal(client_reply_header(replaced, "X-Request-Id"),
                            client_reply_header(next, "X-Request-Id"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_a_path_when_posted_to_then_it_is_the_route_or_refused),
        SCENARIO(given_one_salon_written_in_two_ways_when_booked_then_it_is_the_same_salon),
        SCENARIO(given_a_salon_at_its_limit_when_it_grows_by_a_byte_then_it_is_refused),
        SCENARIO(given_another_method_when_it_comes_then_allow_lists_the_right_ones),
        SCENARIO(given_another_method_when_the_path_is_unknown_then_it_is_404),
        SCENARIO(given_a_content_type_when_it_is_not_json_then_the_refusal_says_what_to_send),
        SCENARIO(given_no_key_when_booking_then_503_says_nothing_of_why),
        SCENARIO(given_head_when_the_document_is_asked_for_then_there_is_its_size_and_no_body),
        SCENARIO(given_a_request_id_when_it_is_safe_then_it_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
