/* Settlements that wait for the file, while somebody else holds it: what the operator sees, what
 * happens at the deadline, and what a stopping server does (cases B5, C5). */
#include "checked_exchange.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { WAITING = 50 };

struct stage {
    struct scene *scene;
    struct server_address admin;
    sqlite3 *holder;
    struct client clients[WAITING];
    struct client_request requests[WAITING];
};

static void start(struct stage *stage) {
    static const char *const arguments[] = {"--admin", "127.0.0.1:0", NULL};
    scene_start(stage->scene, arguments);
    stage->admin = scene_read_admin(stage->scene);
}

static void hold_file(struct stage *stage) {
    const char *file = arena_format(&stage->scene->arena, "%s/tandem.db", stage->scene->directory);
    assert_int_equal(sqlite3_open_v2(file, &stage->holder, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    sqlite3_busy_timeout(stage->holder, PATIENCE);
    assert_int_equal(sqlite3_exec(stage->holder, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
}

static void let_go(struct stage *stage) {
    assert_int_equal(sqlite3_exec(stage->holder, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(stage->holder);
}

/* Sends a round two on each of the connections. */
static void send_all(struct stage *stage) {
    struct scene *scene = stage->scene;
    for (size_t i = 0; i < WAITING; i++) {
        const char *state = ask(scene);
        stage->requests[i] = (struct client_request){
            .body = round_two(&scene->arena, A_BOOKING, ACCEPT_TIME("sat-10:30"), state)};
    }
    hold_file(stage);
    for (size_t i = 0; i < WAITING; i++) {
        connect_to(scene, &stage->clients[i]);
        send_text(&stage->clients[i], client_request_bytes(&stage->requests[i], &scene->arena));
    }
}

static const struct client_reply *receive_next(struct stage *stage, size_t i) {
    const struct client_reply *reply =
        receive(stage->scene, &stage->clients[i], &stage->requests[i]);
    client_close(&stage->clients[i]);
    return reply;
}

static void given_fifty_that_wait_when_the_server_stops_then_each_is_answered(void **state) {
    struct stage stage = {.scene = *state};
    start(&stage);
    send_all(&stage);
    static const char *const all_wait[] = {"\ntandem_ledger_waiting 50\n"};
    get_metrics(stage.scene, &stage.admin, all_wait, 1);
    server_signal(&stage.scene->server, SIGTERM);
    server_wait_until_closed(&stage.scene->server);
    let_go(&stage);
    for (size_t i = 0; i < WAITING; i++)
        assert_reply(receive_next(&stage, i), 200, booked_body(&stage.scene->arena, "sat-10:30"));
    assert_int_equal(server_wait(&stage.scene->server, &stage.scene->arena).exit_code, 0);
    scene_start(stage.scene, NULL);
    for (size_t i = 0; i < WAITING; i++)
        assert_refused(stage.scene, book(stage.scene, stage.requests[i].body), 400,
                       "requestState was already used");
}

static void given_fifty_that_wait_when_the_deadline_passes_then_nothing_happened(void **state) {
    struct stage stage = {.scene = *state};
    start(&stage);
    send_all(&stage);
    for (size_t i = 0; i < WAITING; i++) {
        const struct client_reply *reply = receive_next(&stage, i);
        assert_refused(stage.scene, reply, 503, "the booking service is unavailable");
        assert_non_null(client_reply_header(reply, "Retry-After"));
    }
    const char *reasons = get_operator_page(stage.scene, &stage.admin, "/readyz", 503);
    assert_non_null(strstr(reasons, "the ledger is full or out of reach"));
    assert_int_equal(
        exchange(stage.scene, &(struct client_request){.method = "GET", .target = "/readyz"})
            ->status,
        503);
    assert_non_null(state_of(&stage.scene->arena,
                             book(stage.scene, round_one(&stage.scene->arena, A_BOOKING))));
    let_go(&stage);
    for (size_t i = 0; i < WAITING; i++)
        assert_reply(book(stage.scene, stage.requests[i].body), 200,
                     booked_body(&stage.scene->arena, "sat-10:30"));
    get_operator_page(stage.scene, &stage.admin, "/readyz", 200);
    static const char *const lines[] = {
        "\ntandem_ledger_settlements_total{fact=\"recorded\"} 50\n",
        "\ntandem_ledger_settlements_total{fact=\"unavailable\"} 50\n",
        "\ntandem_ledger_completions_total 50\n",
        "\ntandem_ledger_settle_duration_seconds_count 100\n",
        "\ntandem_ledger_settle_duration_seconds_bucket{le=\"+Inf\"} 100\n",
        "\ntandem_used_states 50\n",
    };
    get_metrics(stage.scene, &stage.admin, lines, sizeof lines / sizeof lines[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(given_fifty_that_wait_when_the_server_stops_then_each_is_answered),
        SCENARIO_WITHOUT_SERVER(
            given_fifty_that_wait_when_the_deadline_passes_then_nothing_happened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
