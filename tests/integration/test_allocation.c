/* What happens when memory runs out: the server runs in this process, and of its allocations (the
 * libraries' among them) the n-th fails, for every n of a whole conversation. Not for sanitizers,
 * which bring an allocator of their own. */
#include "allocation_faults.h"
#include "booking_requests.h"
#include "http_client.h"
#include "local_server.h"
#include "mcp_calls.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

enum { ALLOCATIONS_MOST = 2000 };

struct stage {
    struct arena arena;
    struct local_server *server;
};

/* One round on a connection of its own: NULL when the connection ended without a whole reply. */
static const struct client_reply *send_request(struct stage *stage,
                                               const struct client_request *request) {
    struct client client;
    struct client_reply *reply = arena_take(&stage->arena, sizeof *reply);
    bool whole = client_connect(local_server_address(stage->server), &client) &&
                 client_send(&client, client_request_bytes(request, &stage->arena)) &&
                 client_receive(&client, false, &stage->arena, reply) == NULL;
    client_close(&client);
    return whole ? reply : NULL;
}

static const struct client_reply *round_trip(struct stage *stage, struct bytes body) {
    return send_request(stage, &(struct client_request){.body = body});
}

static struct bytes answer_to(struct stage *stage, const char *state) {
    return round_two(&stage->arena, A_BOOKING, ACCEPT_TIME("sat-10:30"), state);
}

static bool is(const struct client_reply *reply, unsigned status, const char *body) {
    return reply->status == status && bytes_equal(reply->body, bytes_of_text(body));
}

static bool is_unavailable(const struct client_reply *reply) {
    return is(reply, 503, "\"the booking service is unavailable\"");
}

static bool is_booked(struct stage *stage, const struct client_reply *reply) {
    return is(reply, 200, booked_body(&stage->arena, "sat-10:30"));
}

/* After the fault: what was booked stays booked once, and what wasn't can be. */
static void check_afterwards(struct stage *stage, long n, const char *state,
                             const struct client_reply *during) {
    const struct client_reply *after = round_trip(stage, answer_to(stage, state));
    assert_non_null(after);
    bool used = is(after, 400, "\"requestState was already used\"");
    bool expected = during == NULL             ? used || is_booked(stage, after)
                    : is_unavailable(during)   ? is_booked(stage, after)
                    : is_booked(stage, during) ? used
                                               : false;
    if (!expected)
        fail_msg("allocation %ld failed: round two was %u, and then %u %s", n,
                 during == NULL ? 0 : during->status, after->status,
                 (const char *)after->body.data);
}

/* A whole conversation in which the n-th allocation fails. False when it has fewer. */
static bool converse(struct stage *stage, long n) {
    allocation_fault_arm(n);
    const struct client_reply *asked = round_trip(stage, round_one(&stage->arena, A_BOOKING));
    if (asked != NULL && asked->status != 200 && !is_unavailable(asked))
        fail_msg("allocation %ld failed: round one was %u", n, asked->status);
    if (asked != NULL && asked->status == 200) {
        const char *state = state_of(&stage->arena, asked);
        assert_non_null(state);
        const struct client_reply *completed = round_trip(stage, answer_to(stage, state));
        bool failed = allocation_fault_disarm();
        check_afterwards(stage, n, state, completed);
        return failed;
    }
    return allocation_fault_disarm();
}

static bool has(const struct client_reply *reply, const char *part) {
    return strstr((const char *)reply->body.data, part) != NULL;
}

/* The same as an agent. What it hears is a whole reply of JSON-RPC, or the connection ends; what it
 * hears is what happened. */
static bool converse_as_agent(struct stage *stage, long n) {
    const struct client_request first =
        mcp_booking(&stage->arena, AGENTS_BOOKING(""), NULL, NULL, CAN_ASK);
    allocation_fault_arm(n);
    const struct client_reply *asked = send_request(stage, &first);
    if (asked == NULL || asked->status != 200) {
        bool failed = allocation_fault_disarm();
        if (asked != NULL && !has(asked, "\"code\":-32603"))
            fail_msg("allocation %ld failed: %s", n, (const char *)asked->body.data);
        return failed;
    }
    json_t *root = json_loadb((const char *)asked->body.data, asked->body.size, 0, NULL);
    json_t *issued = json_object_get(json_object_get(root, "result"), "requestState");
    assert_true(json_is_string(issued));
    const char *state = arena_format(&stage->arena, "%s", json_string_value(issued));
    json_decref(root);
    const struct client_request second =
        mcp_booking(&stage->arena, AGENTS_BOOKING(""), "{\"time\":" ACCEPT_TIME("sat-10:30") "}",
                    json_quoted(&stage->arena, state), CAN_ASK);
    const struct client_reply *during = send_request(stage, &second);
    bool failed = allocation_fault_disarm();
    const struct client_reply *after = round_trip(stage, answer_to(stage, state));
    assert_non_null(after);
    bool was_booked = is(after, 400, "\"requestState was already used\"");
    if (during != NULL && was_booked != has(during, "\"status\":\"booked\""))
        fail_msg("allocation %ld failed: %s and then %s", n, (const char *)during->body.data,
                 (const char *)after->body.data);
    assert_true(was_booked || is_booked(stage, after));
    return failed;
}

static void fail_each(bool (*converse_once)(struct stage *stage, long n)) {
    if (!ALLOCATION_FAULTS_WORK)
        skip();
    thread_is_marked = true;
    long n = 1;
    for (bool failed = true; failed; n++) {
        struct stage stage = {0};
        const struct local_options options = {.key = BYTES("0123456789abcdef0123456789abcdef"),
                                              .has_nonces = true,
                                              .checks_mark = true,
                                              .time = 1791018000000000,
                                              .capacity = 16,
                                              .valid_for = 120};
        stage.server = local_server_start(&options);
        assert_non_null(stage.server);
        failed = converse_once(&stage, n);
        local_server_stop(stage.server);
        arena_done(&stage.arena);
        assert_true(n < ALLOCATIONS_MOST);
    }
    printf("%ld allocations failed, one at a time\n", n - 2);
    assert_true(n > 50);
}

static void
given_a_conversation_when_any_allocation_fails_then_nothing_is_booked_wrongly(void **unused) {
    (void)unused;
    fail_each(converse);
}

static void
given_an_agents_call_when_any_allocation_fails_then_nothing_is_booked_wrongly(void **unused) {
    (void)unused;
    fail_each(converse_as_agent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            given_a_conversation_when_any_allocation_fails_then_nothing_is_booked_wrongly),
        cmocka_unit_test(
            given_an_agents_call_when_any_allocation_fails_then_nothing_is_booked_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
