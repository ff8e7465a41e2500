/* Reloading keys, being watched by a service manager, and being told twice to stop (cases B7, C5).
 */
#include "checked_exchange.h"
#include "deadline.h"
#include "race.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

enum { STORM = 16, STORM_RUNS = 20, LINE_SIZE = 256 };

static const char old_key[] = "the old key, thirty-two bytes long";
static const char new_key[] = "the new key, thirty-two bytes long";

/* A service manager's end of the notifications. */
struct manager {
    int socket;
    char path[128];
    char variable[160];
};

static void listen_as_manager(struct scene *scene, struct manager *manager) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(manager->path, sizeof manager->path, "%s/notify", scene->directory);
    snprintf(manager->variable, sizeof manager->variable, "NOTIFY_SOCKET=%s", manager->path);
    assert_true(strlen(manager->path) < sizeof address.sun_path);
    memcpy(address.sun_path, manager->path, strlen(manager->path));
    manager->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(manager->socket, (struct sockaddr *)&address, sizeof address), 0);
}

static void assert_notified(const struct manager *manager, const char *start) {
    char text[LINE_SIZE];
    assert_true(deadline_wait_readable(deadline_in(PATIENCE), manager->socket));
    ssize_t size = recv(manager->socket, text, sizeof text - 1, 0);
    assert_true(size > 0);
    text[size] = '\0';
    if (strncmp(text, start, strlen(start)) != 0)
        fail_msg("the manager was told %s and not %s", text, start);
}

static void write_keys(struct scene *scene, const char *first, const char *second) {
    directory_write(scene->directory, "first.key", bytes_of_text(first), 0600);
    directory_write(scene->directory, "second.key", bytes_of_text(second), 0600);
}

/* A server with two key files, and a manager who sees it reload. */
static void start_watched(struct scene *scene, struct manager *manager) {
    listen_as_manager(scene, manager);
    const struct server_options options = {
        .arguments = (const char *[]){"--signing-key-file", "first.key", "--signing-key-file",
                                      "second.key", NULL},
        .environment = (const char *[]){manager->variable, NULL},
        .directory = scene->directory,
    };
    server_start(&scene->server, &options, &scene->arena);
    assert_notified(manager, "READY=1");
}

static void reload(struct scene *scene, const struct manager *manager) {
    server_signal(&scene->server, SIGHUP);
    assert_notified(manager, "RELOADING=1\nMONOTONIC_USEC=");
    assert_notified(manager, "READY=1");
}

/* Stops the server; returns its log. */
static const char *finish(struct scene *scene, struct manager *manager) {
    server_signal(&scene->server, SIGTERM);
    assert_notified(manager, "STOPPING=1");
    struct ended ended = server_wait(&scene->server, &scene->arena);
    assert_int_equal(ended.exit_code, 0);
    close(manager->socket);
    return ended.error;
}

static void assert_completes(struct scene *scene, const char *issued) {
    assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), issued), 200,
                 booked_body(&scene->arena, "sat-10:30"));
}

/* Case B7. */
static void
given_new_keys_when_reloaded_then_old_states_complete_until_their_key_goes(void **state) {
    struct scene *scene = *state;
    struct manager manager;
    write_keys(scene, old_key, old_key);
    start_watched(scene, &manager);
    const char *before = ask(scene);
    const char *late = ask(scene);
    write_keys(scene, new_key, old_key);
    reload(scene, &manager);
    assert_completes(scene, before);
    const char *since = ask(scene);
    write_keys(scene, new_key, new_key);
    reload(scene, &manager);
    assert_completes(scene, since);
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), late), 400,
                   "requestState doesn't verify");
    finish(scene, &manager);
}

static void given_a_bad_key_file_when_reloaded_then_the_old_keys_stay_in_force(void **state) {
    struct scene *scene = *state;
    struct manager manager;
    write_keys(scene, old_key, old_key);
    start_watched(scene, &manager);
    const char *before = ask(scene);
    directory_write(scene->directory, "first.key", BYTES("short"), 0600);
    reload(scene, &manager);
    assert_completes(scene, before);
    assert_completes(scene, ask(scene));
    const char *log = finish(scene, &manager);
    assert_non_null(strstr(log, "first.key has 5 bytes"));
    assert_non_null(strstr(log, "the old signing keys stay in force"));
}

/* Opening a FIFO waits for somebody to write to it, and no signal would be heard meanwhile. */
static void given_a_fifo_for_a_key_file_when_reloaded_then_signals_are_heard_still(void **state) {
    struct scene *scene = *state;
    struct manager manager;
    write_keys(scene, old_key, old_key);
    start_watched(scene, &manager);
    const char *path = arena_format(&scene->arena, "%s/first.key", scene->directory);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    reload(scene, &manager);
    assert_completes(scene, ask(scene));
    assert_non_null(strstr(finish(scene, &manager), "first.key is not a regular file"));
}

/* Both rounds of many customers; none is refused. */
static void converse_at_once(struct scene *scene, struct race *race) {
    struct client_request requests[STORM];
    for (size_t i = 0; i < STORM; i++)
        requests[i] = (struct client_request){.body = round_one(&scene->arena, A_BOOKING)};
    const struct client_reply *replies = race_run(race, requests);
    for (size_t i = 0; i < STORM; i++) {
        const char *issued = state_of(&scene->arena, &replies[i]);
        assert_non_null(issued);
        requests[i].body = round_two(&scene->arena, A_BOOKING, ACCEPT_TIME("sat-10:30"), issued);
    }
    replies = race_run(race, requests);
    for (size_t i = 0; i < STORM; i++)
        assert_reply(&replies[i], 200, booked_body(&scene->arena, "sat-10:30"));
}

/* The keys are exchanged in the README's three steps while customers come. */
static void given_customers_at_every_moment_when_keys_rotate_then_none_is_refused(void **state) {
    struct scene *scene = *state;
    struct manager manager;
    write_keys(scene, old_key, old_key);
    start_watched(scene, &manager);
    struct race *race = race_new(scene, STORM);
    const char *const steps[][2] = {{old_key, new_key}, {new_key, old_key}, {new_key, new_key},
                                    {new_key, old_key}, {old_key, new_key}, {old_key, old_key}};
    for (size_t i = 0; i < STORM_RUNS; i++) {
        write_keys(scene, steps[i % COUNT(steps)][0], steps[i % COUNT(steps)][1]);
        server_signal(&scene->server, SIGHUP);
        converse_at_once(scene, race);
        assert_notified(&manager, "RELOADING=1");
        assert_notified(&manager, "READY=1");
    }
    race_free(race);
    finish(scene, &manager);
}

static void
given_a_request_that_stalls_when_told_twice_to_stop_then_it_exits_at_once(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--timeout", "600", NULL});
    struct client client;
    connect_to(scene, &client);
    send_text(&client, BYTES("POST /salons/elm-street/book HTTP/1.1\r\nHost: a.test\r\nX-Slow: "));
    ask(scene); /* so that the server has seen the other one too */
    server_signal(&scene->server, SIGTERM);
    server_wait_until_closed(&scene->server);
    server_signal(&scene->server, SIGTERM);
    assert_int_equal(server_wait(&scene->server, &scene->arena).exit_code, 128 + SIGTERM);
    client_close(&client);
}

static void
given_a_request_that_stalls_when_told_to_stop_then_it_is_waited_for_no_longer_than_its_time(
    void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--timeout", "1", NULL});
    struct client client;
    connect_to(scene, &client);
    send_text(&client, BYTES("POST /salons/elm-street/book HTTP/1.1\r\nHost: a.test\r\nX-Slow: "));
    ask(scene);
    server_signal(&scene->server, SIGTERM);
    assert_int_equal(server_wait(&scene->server, &scene->arena).exit_code, 0);
    assert_true(client_sees_end(&client));
    client_close(&client);
}

/* The first two take the places, and the others wait in the listener's queue. */
static void given_requests_in_the_queue_when_told_to_stop_then_each_is_answered(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--max-connections", "2", NULL});
    const struct client_request request = {.body = round_one(&scene->arena, A_BOOKING)};
    struct client waiting[20];
    for (size_t i = 0; i < COUNT(waiting); i++) {
        connect_to(scene, &waiting[i]);
        send_text(&waiting[i], client_request_bytes(&request, &scene->arena));
    }
    assert_int_equal(receive(scene, &waiting[0], &request)->status, 200);
    server_signal(&scene->server, SIGTERM);
    for (size_t i = 1; i < COUNT(waiting); i++) {
        int status = receive(scene, &waiting[i], &request)->status;
        if (status != 200 && status != 503)
            fail_msg("request %zu is answered %d", i, status);
    }
    assert_int_equal(server_wait(&scene->server, &scene->arena).exit_code, 0);
    for (size_t i = 0; i < COUNT(waiting); i++)
        client_close(&waiting[i]);
}

/* The operator's listener goes on while the other one stops, and must find it whole. Whether it had
 * begun to read before it was told to stop too can't be seen from outside: then it is a close. */
static void
given_a_question_of_the_operator_when_told_to_stop_then_it_is_answered_or_closed(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--admin", "127.0.0.1:0", NULL});
    struct server_address admin = scene_read_admin(scene);
    struct client client;
    assert_true(client_connect(&admin, &client));
    send_text(&client, BYTES("GET /metrics HTTP/1.1\r\nHost: a.test\r\n"));
    ask(scene);
    server_signal(&scene->server, SIGTERM);
    server_wait_until_closed(&scene->server);
    struct bytes reply = {NULL, 0};
    if (client_send(&client, BYTES("\r\n")))
        reply = client_receive_all(&client, &scene->arena);
    if (reply.size > 0)
        assert_non_null(strstr((const char *)reply.data, "\ntandem_used_states 0\n"));
    client_close(&client);
    assert_int_equal(server_wait(&scene->server, &scene->arena).exit_code, 0);
}

static void given_too_few_open_files_when_started_then_the_error_says_what_is_right(void **state) {
    struct scene *scene = *state;
    const struct program program = {
        .path = "/bin/sh",
        .arguments = (const char *[]){"-c",
                                      "ulimit -n 100; exec " TANDEM_BINARY
                                      " serve --check --max-connections 500",
                                      NULL},
        .directory = scene->directory,
    };
    struct ended ended = program_run(&program, &scene->arena);
    assert_int_equal(ended.exit_code, 2);
    assert_non_null(strstr(ended.error, "--max-connections: 500 connections need "));
    assert_non_null(strstr(ended.error, "the limit is 100"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(
            given_new_keys_when_reloaded_then_old_states_complete_until_their_key_goes),
        SCENARIO_WITHOUT_SERVER(given_a_bad_key_file_when_reloaded_then_the_old_keys_stay_in_force),
        SCENARIO_WITHOUT_SERVER(
            given_a_fifo_for_a_key_file_when_reloaded_then_signals_are_heard_still),
        SCENARIO_WITHOUT_SERVER(
            given_customers_at_every_moment_when_keys_rotate_then_none_is_refused),
        SCENARIO_WITHOUT_SERVER(
            given_a_request_that_stalls_when_told_twice_to_stop_then_it_exits_at_once),
        SCENARIO_WITHOUT_SERVER(
            given_a_request_that_stalls_when_told_to_stop_then_it_is_waited_for_no_longer_than_its_time),
        SCENARIO_WITHOUT_SERVER(
            given_requests_in_the_queue_when_told_to_stop_then_each_is_answered),
        SCENARIO_WITHOUT_SERVER(
            given_a_question_of_the_operator_when_told_to_stop_then_it_is_answered_or_closed),
        SCENARIO_WITHOUT_SERVER(
            given_too_few_open_files_when_started_then_the_error_says_what_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
