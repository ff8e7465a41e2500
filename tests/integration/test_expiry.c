/* What time does to a state (protocol.md, section 3; cases B5, B6, B8), with the clock in the
 * test's hands. */
#include "checked_exchange.h"
#include "local_server.h"

enum { ISSUED_AT = 1791018000 };

static const char used[] = "requestState was already used";
static const char expired[] = "requestState has expired";

/* A scene and the server in this process that it talks to. */
struct stage {
    struct scene *scene;
    struct local_server *server;
};

static void start_with_capacity(struct stage *stage, struct scene *scene, size_t capacity) {
    stage->scene = scene;
    stage->server = local_server_start(&(struct local_options){
        .key = BYTES("0123456789abcdef0123456789abcdef"),
        .has_nonces = true,
        .checks_mark = true,
        .time = (int64_t)ISSUED_AT * 1000000,
        .capacity = capacity,
        .valid_for = 120,
    });
    assert_non_null(stage->server);
    scene->server.address = *local_server_address(stage->server);
}

static void set_second(struct stage *stage, int64_t second, int64_t microseconds) {
    local_server_set_time(stage->server, (ISSUED_AT + second) * 1000000 + microseconds);
}

static void assert_books(struct stage *stage, const char *issued) {
    assert_reply(answer(stage->scene, ACCEPT_TIME("sat-10:30"), issued), 200,
                 booked_body(&stage->scene->arena, "sat-10:30"));
}

static void assert_refuses(struct stage *stage, const char *issued, unsigned status,
                           const char *reason) {
    assert_refused(stage->scene, answer(stage->scene, ACCEPT_TIME("sat-10:30"), issued), status,
                   reason);
}

/* Case B6. */
static void
given_a_used_state_when_time_passes_then_there_is_no_gap_before_it_expires(void **state) {
    struct stage stage;
    start_with_capacity(&stage, *state, 16);
    static const struct {
        int64_t second;
        int64_t microseconds;
        const char *reason;
    } rows[] = {
        {1, 0, used},      {119, 0, used},    {120, 0, used},        {120, 999999, used},
        {121, 0, expired}, {122, 0, expired}, {1000000, 0, expired},
    };
    const char *issued = ask(stage.scene);
    set_second(&stage, 1, 0);
    assert_books(&stage, issued);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_second(&stage, rows[i].second, rows[i].microseconds);
        assert_refuses(&stage, issued, 400, rows[i].reason);
    }
    local_server_stop(stage.server);
}

static void given_an_unused_state_when_its_last_second_is_over_then_it_has_expired(void **state) {
    struct stage stage;
    start_with_capacity(&stage, *state, 16);
    const char *in_time = ask(stage.scene);
    const char *too_late = ask(stage.scene);
    set_second(&stage, 120, 999999);
    assert_books(&stage, in_time);
    set_second(&stage, 121, 0);
    assert_refuses(&stage, too_late, 400, expired);
    local_server_stop(stage.server);
}

/* Case B8. */
static void
given_expired_and_used_states_when_the_clock_steps_back_then_none_revives(void **state) {
    struct stage stage;
    start_with_capacity(&stage, *state, 16);
    const char *spent = ask(stage.scene);
    const char *unused = ask(stage.scene);
    assert_books(&stage, spent);
    set_second(&stage, 121, 0);
    assert_refuses(&stage, unused, 400, expired);
    set_second(&stage, -3600, 0);
    assert_refuses(&stage, unused, 400, expired);
    assert_refuses(&stage, spent, 400, expired);
    assert_books(&stage, ask(stage.scene));
    local_server_stop(stage.server);
}

/* Case B5, as far as one server goes. */
static void
given_a_full_memory_of_used_states_when_one_more_comes_then_503_until_some_expire(void **state) {
    struct stage stage;
    start_with_capacity(&stage, *state, 2);
    const char *first = ask(stage.scene);
    const char *second = ask(stage.scene);
    assert_books(&stage, first);
    assert_books(&stage, second);
    set_second(&stage, 100, 0);
    const char *third = ask(stage.scene);
    assert_refuses(&stage, third, 503, "the booking service is unavailable");
    assert_refuses(&stage, first, 400, used);
    set_second(&stage, 121, 0);
    assert_books(&stage, third);
    assert_refuses(&stage, third, 400, used);
    assert_refuses(&stage, first, 400, expired);
    assert_refuses(&stage, second, 400, expired);
    local_server_stop(stage.server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(
            given_a_used_state_when_time_passes_then_there_is_no_gap_before_it_expires),
        SCENARIO_WITHOUT_SERVER(
            given_an_unused_state_when_its_last_second_is_over_then_it_has_expired),
        SCENARIO_WITHOUT_SERVER(
            given_expired_and_used_states_when_the_clock_steps_back_then_none_revives),
        SCENARIO_WITHOUT_SERVER(
            given_a_full_memory_of_used_states_when_one_more_comes_then_503_until_some_expire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
