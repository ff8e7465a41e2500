/* Stopping and starting: what is in flight is answered, and no state completes twice across a
 * restart of a memory-only server (protocol.md, section 3, Spend; case C5). */
#include "checked_exchange.h"

#include <signal.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static const char *const memory[] = {"--ledger", "memory", NULL};
static const char expired[] = "requestState has expired";

static void assert_completes(struct scene *scene, const char *issued) {
    assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), issued), 200,
                 booked_body(&scene->arena, "sat-10:30"));
}

static void end_with(struct scene *scene, int number) {
    server_signal(&scene->server, number);
    server_wait(&scene->server, &scene->arena);
}

static void given_states_of_before_a_restart_when_they_come_then_nothing_completes(void **state) {
    struct scene *scene = *state;
    static const int signals[] = {SIGTERM, SIGKILL};
    scene_start(scene, memory);
    for (size_t i = 0; i < COUNT(signals); i++) {
        const char *unanswered = ask(scene);
        const char *declined = ask(scene);
        const char *used = ask(scene);
        assert_completes(scene, used);
        end_with(scene, signals[i]);
        scene_start(scene, memory);
        assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), unanswered), 400, expired);
        assert_refused(scene, answer(scene, DECLINE, declined), 400, expired);
        assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), used), 400, expired);
    }
}

static void given_a_restart_when_states_are_issued_since_then_all_of_them_complete(void **state) {
    struct scene *scene = *state;
    scene_start(scene, memory);
    const char *before = ask(scene);
    end_with(scene, SIGTERM);
    scene_start(scene, memory);
    for (int i = 0; i < 20; i++) {
        const char *since = ask(scene);
        assert_refused(scene, answer(scene, DECLINE, before), 400, expired);
        assert_completes(scene, since);
        assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), since), 400,
                       "requestState was already used");
    }
}

/* The mark is looked at in spend, after the answer (protocol.md, Settled corners). */
static void given_a_state_of_before_when_the_answer_is_wrong_then_that_is_said_first(void **state) {
    struct scene *scene = *state;
    scene_start(scene, memory);
    const char *before = ask(scene);
    end_with(scene, SIGTERM);
    scene_start(scene, memory);
    assert_refused(scene, answer(scene, ACCEPT_TIME("noon"), before), 400,
                   "noon was never offered");
    assert_refused(scene, answer(scene, "7", before), 400,
                   "the answer is not an accept, a decline or a cancel");
}

static void
given_two_memory_servers_with_one_key_when_a_state_moves_then_it_has_expired(void **state) {
    struct scene *scene = *state;
    static const char *const arguments[] = {"--signing-key-file", KEY_FILE, "--ledger", "memory",
                                            NULL};
    const struct server_options options = {.arguments = arguments, .directory = scene->directory};
    scene_start(scene, memory);
    struct server_process first = scene->server;
    const char *issued = ask(scene);
    server_start(&scene->server, &options, &scene->arena);
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), issued), 400, expired);
    server_done(&scene->server);
    scene->server = first;
    assert_completes(scene, issued);
}

/* Opens a connection whose request the server has taken, but for its body. */
static void begin_request(struct scene *scene, struct client *client,
                          const struct client_request *request) {
    struct client_request announced = *request;
    announced.headers = "Expect: 100-continue\r\n";
    struct bytes all = client_request_bytes(&announced, &scene->arena);
    connect_to(scene, client);
    send_text(client, bytes_up_to(all, all.size - request->body.size));
    receive_continue(scene, client);
}

/* Case C5. */
static void stop_with_requests_in_flight(struct scene *scene, int number, size_t count) {
    struct client clients[50];
    struct client_request requests[50] = {{0}};
    assert_true(count <= COUNT(clients));
    for (size_t i = 0; i < count; i++) {
        requests[i].body =
            round_two(&scene->arena, A_BOOKING, ACCEPT_TIME("sat-10:30"), ask(scene));
        begin_request(scene, &clients[i], &requests[i]);
    }
    server_signal(&scene->server, number);
    server_wait_until_closed(&scene->server);
    for (size_t i = 0; i < count; i++)
        send_text(&clients[i], requests[i].body);
    for (size_t i = 0; i < count; i++) {
        assert_reply(receive(scene, &clients[i], &requests[i]), 200,
                     booked_body(&scene->arena, "sat-10:30"));
        client_close(&clients[i]);
    }
    struct ended ended = server_wait(&scene->server, &scene->arena);
    if (ended.exit_code != 0)
        fail_msg("signal %d: exit code %d\n%s", number, ended.exit_code, ended.error);
}

static void
given_requests_in_flight_when_told_to_stop_then_all_are_answered_and_it_exits_0(void **state) {
    struct scene *scene = *state;
    static const struct {
        int signal;
        size_t count;
    } rows[] = {{SIGTERM, 1}, {SIGINT, 1}, {SIGTERM, 50}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene_start(scene, NULL);
        stop_with_requests_in_flight(scene, rows[i].signal, rows[i].count);
    }
}

/* A worker that comes by while the listener is closed is rare: hence the repetition. */
static void
given_busy_workers_when_told_to_stop_again_and_again_then_all_are_answered(void **state) {
    struct scene *scene = *state;
    for (int i = 0; i < 5; i++) {
        scene_start(scene, memory);
        stop_with_requests_in_flight(scene, SIGTERM, 4);
    }
}

static void given_nothing_in_flight_when_told_to_stop_then_it_exits_0(void **state) {
    struct scene *scene = *state;
    static const int signals[] = {SIGTERM, SIGINT};
    for (size_t i = 0; i < COUNT(signals); i++) {
        struct client idle;
        scene_start(scene, NULL);
        assert_int_equal(book(scene, round_one(&scene->arena, A_BOOKING))->status, 200);
        connect_to(scene, &idle);
        server_signal(&scene->server, signals[i]);
        struct ended ended = server_wait(&scene->server, &scene->arena);
        assert_true(client_sees_end(&idle));
        client_close(&idle);
        assert_int_equal(ended.exit_code, 0);
        assert_int_equal(ended.out.size, 0); /* after the one line that was read */
    }
}

static void given_a_stopping_server_when_a_new_request_comes_then_it_is_never_served(void **state) {
    struct scene *scene = *state;
    const struct client_request late = {.body = round_one(&scene->arena, A_BOOKING),
                                        .keeps_alive = true};
    struct bytes bytes = client_request_bytes(&late, &scene->arena);
    struct client in_flight, client;
    begin_request(scene, &in_flight, &late);
    connect_to(scene, &client);
    /* Whether the server has read this half before the signal can't be seen from here: it answers
     * 503, or closes without a word. */
    send_text(&client, bytes);
    assert_int_equal(receive(scene, &client, &late)->status, 200);
    send_text(&client, bytes_up_to(bytes, 60));
    server_signal(&scene->server, SIGTERM);
    server_wait_until_closed(&scene->server);
    client_send(&client, bytes_from(bytes, 60));
    const struct client_reply *reply = receive_or_end(scene, &client, &late);
    if (reply != NULL)
        assert_refused(scene, reply, 503, "the booking service is unavailable");
    client_close(&client);
    send_text(&in_flight, late.body);
    assert_int_equal(receive(scene, &in_flight, &late)->status, 200);
    client_close(&in_flight);
    assert_int_equal(server_wait(&scene->server, &scene->arena).exit_code, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(
            given_states_of_before_a_restart_when_they_come_then_nothing_completes),
        SCENARIO_WITHOUT_SERVER(
            given_a_restart_when_states_are_issued_since_then_all_of_them_complete),
        SCENARIO_WITHOUT_SERVER(
            given_a_state_of_before_when_the_answer_is_wrong_then_that_is_said_first),
        SCENARIO_WITHOUT_SERVER(
            given_two_memory_servers_with_one_key_when_a_state_moves_then_it_has_expired),
        SCENARIO_WITHOUT_SERVER(
            given_requests_in_flight_when_told_to_stop_then_all_are_answered_and_it_exits_0),
        SCENARIO_WITHOUT_SERVER(
            given_busy_workers_when_told_to_stop_again_and_again_then_all_are_answered),
        SCENARIO_WITHOUT_SERVER(given_nothing_in_flight_when_told_to_stop_then_it_exits_0),
        SCENARIO(given_a_stopping_server_when_a_new_request_comes_then_it_is_never_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
