/* Who may take the server's connections, memory and time (cases C4, C6): slow clients, endless
 * bodies, too many connections from one address. */
#include "checked_exchange.h"
#include "deadline.h"
#include "sanitizer.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

enum {
    CROWD = 1024,
    STALLERS = 64,
    DRIBBLE_PAUSE = 100,
    GROWTH_MAX = 1024,
    SHORT_OF_FILES_RUNS = 100,
    SHORT_OF_FILES_PATIENCE = 900, /* milliseconds */
};

static const char start_of_headers[] =
    "POST /salons/elm-street/book HTTP/1.1\r\nHost: a.test\r\nX-Slow: ";
static const char start_of_body[] = "POST /salons/elm-street/book HTTP/1.1\r\nHost: a.test\r\n"
                                    "Content-Type: application/json\r\nContent-Length: "
                                    "1000\r\n\r\n{";

static struct client *open_crowd(struct scene *scene, size_t count, const char *start) {
    struct client *crowd = arena_take(&scene->arena, count * sizeof *crowd);
    for (size_t i = 0; i < count; i++) {
        connect_to(scene, &crowd[i]);
        send_text(&crowd[i], bytes_of_text(start));
    }
    return crowd;
}

static void close_crowd(struct client *crowd, size_t count) {
    for (size_t i = 0; i < count; i++)
        client_close(&crowd[i]);
}

/* Sends a byte on each connection every now and then, until the server answers somebody else. */
static void dribble_until_readable(struct client *crowd, size_t count, int descriptor) {
    struct deadline patience = deadline_in(PATIENCE);
    while (!deadline_wait_readable(deadline_in(DRIBBLE_PAUSE), descriptor)) {
        assert_true(deadline_left(patience) > 0);
        for (size_t i = 0; i < count; i++)
            client_send(&crowd[i], BYTES("a"));
    }
}

static void assert_served_after_timeout(struct scene *scene, size_t count, const char *start,
                                        bool dribbles) {
    struct client *crowd = open_crowd(scene, count, start);
    const struct client_request request = {.body = round_one(&scene->arena, A_BOOKING)};
    struct client client;
    connect_to(scene, &client);
    send_text(&client, client_request_bytes(&request, &scene->arena));
    dribble_until_readable(crowd, dribbles ? count : 0, client.socket);
    assert_int_equal(receive(scene, &client, &request)->status, 200);
    client_close(&client);
    for (size_t i = 0; i < count; i++)
        if (!client_sees_end(&crowd[i]))
            fail_msg("connection %zu is open still", i);
    close_crowd(crowd, count);
}

static void
given_all_connections_stalled_when_the_time_is_over_then_others_are_served(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--timeout", "1", "--max-connections", "64", NULL});
    assert_served_after_timeout(scene, STALLERS, start_of_headers, false);
    assert_served_after_timeout(scene, STALLERS, start_of_body, false);
    assert_served_after_timeout(scene, STALLERS, "", false);
}

static void
given_1024_dribbling_clients_when_the_time_is_over_then_others_are_served(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--timeout", "2", NULL});
    assert_served_after_timeout(scene, CROWD, start_of_headers, true);
}

/* Those that come when the places are taken wait, and each is served once one is free. */
static void assert_places_are_shared(struct scene *scene, const char *threads) {
    scene_start(scene, (const char *[]){"--max-connections", "3", "--threads", threads, NULL});
    const struct client_request request = {.body = round_one(&scene->arena, A_BOOKING)};
    struct client *crowd = open_crowd(scene, 3, start_of_headers);
    struct client waiting[20];
    for (size_t i = 0; i < COUNT(waiting); i++) {
        connect_to(scene, &waiting[i]);
        send_text(&waiting[i], client_request_bytes(&request, &scene->arena));
    }
    assert_false(deadline_wait_readable(deadline_in(DRIBBLE_PAUSE), waiting[0].socket));
    client_close(&crowd[0]);
    for (size_t i = 0; i < COUNT(waiting); i++) {
        assert_int_equal(receive(scene, &waiting[i], &request)->status, 200);
        client_close(&waiting[i]);
    }
    close_crowd(crowd + 1, 2);
}

static void given_all_places_taken_when_others_come_then_each_waits_for_a_place(void **state) {
    assert_places_are_shared(*state, "1");
    assert_places_are_shared(*state, "2");
}

static void given_a_limit_for_each_client_when_it_opens_more_then_those_are_closed(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--max-connections-per-client", "2", NULL});
    struct client *crowd = open_crowd(scene, 2, start_of_headers);
    struct client third;
    connect_to(scene, &third);
    assert_true(client_sees_end(&third));
    client_close(&third);
    close_crowd(crowd, 2);
}

/* Leaves the server as many descriptors as it has, and so many more. */
static void limit_descriptors(const struct scene *scene, size_t more) {
    char path[64];
    struct rlimit limit;
    size_t count = 0;
    pid_t server = scene->server.program.pid;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)server);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        count += entry->d_name[0] != '.';
    closedir(directory);
    assert_int_equal(prlimit(server, RLIMIT_NOFILE, NULL, &limit), 0);
    limit.rlim_cur = count + more;
    assert_int_equal(prlimit(server, RLIMIT_NOFILE, &limit, NULL), 0);
}

static void given_no_descriptor_left_when_a_client_goes_then_the_next_is_served_soon(void **state) {
    struct scene *scene = *state;
    scene_start(scene, (const char *[]){"--ledger", "memory", NULL});
    ask(scene);
    limit_descriptors(scene, 1);
    struct client_request request = {.body = round_one(&scene->arena, A_BOOKING)};
    struct client *holder = open_crowd(scene, 1, start_of_headers);
    for (int i = 0; i < SHORT_OF_FILES_RUNS; i++) {
        struct client next;
        connect_to(scene, &next);
        send_text(&next, client_request_bytes(&request, &scene->arena));
        deadline_wait_readable(deadline_in(10), next.socket);
        client_close(holder);
        assert_true(deadline_wait_readable(deadline_in(SHORT_OF_FILES_PATIENCE), next.socket));
        assert_int_equal(receive(scene, &next, &request)->status, 200);
        *holder = next;
    }
    client_close(holder);
}

/* The server's memory that no file stands behind, in KiB. */
static long memory_of(const struct scene *scene) {
    char path[64];
    char line[128];
    long size = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)scene->server.program.pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "RssAnon:", 8) == 0)
            size = strtol(line + 8, NULL, 10);
    fclose(file);
    assert_true(size > 0);
    return size;
}

static void assert_refused_and_closed(struct scene *scene, const char *head, struct bytes piece) {
    struct client client;
    connect_to(scene, &client);
    send_text(&client, bytes_of_text(head));
    /* Until it isn't taken any more: the server reads and drops a part, and then closes. */
    size_t sent = 0;
    while (sent < (size_t)64 * 1024 * 1024 && client_send(&client, piece))
        sent += piece.size;
    assert_true(sent < (size_t)64 * 1024 * 1024);
    client_close(&client);
}

static void given_a_body_without_end_when_it_is_sent_then_it_is_cut_and_memory_stays(void **state) {
    struct scene *scene = *state;
    scene_start(scene, NULL);
    unsigned char *piece = arena_take(&scene->arena, 65536);
    memset(piece, 'a', 65536);
    struct bytes chunk =
        bytes_of_text(arena_format(&scene->arena, "1000\r\n%.*s\r\n", 4096, (const char *)piece));
    ask(scene);
    long before = memory_of(scene);
    for (int i = 0; i < 10; i++) {
        assert_refused_and_closed(scene,
                                  "POST /salons/elm-street/book HTTP/1.1\r\nHost: a.test\r\n"
                                  "Content-Type: application/json\r\nContent-Length: "
                                  "5000000000\r\n\r\n",
                                  (struct bytes){piece, 65536});
        assert_refused_and_closed(scene,
                                  "POST /salons/elm-street/book HTTP/1.1\r\nHost: a.test\r\n"
                                  "Content-Type: application/json\r\nTransfer-Encoding: "
                                  "chunked\r\n\r\n",
                                  chunk);
    }
    ask(scene);
    long grown = memory_of(scene) - before;
    printf("memory grew by %ld KiB\n", grown);
    assert_true(HAS_SANITIZER || grown < GROWTH_MAX);
}

/* libmicrohttpd gives up such a request in the middle, and says so to nobody. */
static void given_more_query_arguments_than_fit_when_sent_then_nothing_is_kept(void **state) {
    struct scene *scene = *state;
    static const int counts[] = {300, 6500}; /* 1,000 requests, of up to 20 KiB each */
    scene_start(scene, NULL);
    ask(scene);
    long before = memory_of(scene);
    for (int i = 0; i < 1000; i++) {
        struct client client;
        char *target = arena_take(&scene->arena, 16384);
        for (int j = 0; j < counts[i % 2]; j++)
            memcpy(target + 2 * j, "a&", 3);
        connect_to(scene, &client);
        send_text(&client,
                  bytes_of_text(arena_format(&scene->arena,
                                             "GET /?%s HTTP/1.1\r\nHost: a.test\r\n\r\n", target)));
        client_close(&client);
        if (i % 20 == 0)
            ask(scene); /* or more of them would be open at a time, as the server is slower */
    }
    for (int i = 0; i < 4; i++)
        ask(scene); /* so that every worker has seen the connections close */
    long grown = memory_of(scene) - before;
    printf("memory grew by %ld KiB\n", grown);
    assert_true(HAS_SANITIZER || grown < 4 * GROWTH_MAX);
    server_signal(&scene->server, SIGTERM);
    assert_int_equal(server_wait(&scene->server, &scene->arena).exit_code, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(
            given_all_connections_stalled_when_the_time_is_over_then_others_are_served),
        SCENARIO_WITHOUT_SERVER(
            given_1024_dribbling_clients_when_the_time_is_over_then_others_are_served),
        SCENARIO_WITHOUT_SERVER(
            given_all_places_taken_when_others_come_then_each_waits_for_a_place),
        SCENARIO_WITHOUT_SERVER(
            given_a_limit_for_each_client_when_it_opens_more_then_those_are_closed),
        SCENARIO_WITHOUT_SERVER(
            given_no_descriptor_left_when_a_client_goes_then_the_next_is_served_soon),
        SCENARIO_WITHOUT_SERVER(
            given_a_body_without_end_when_it_is_sent_then_it_is_cut_and_memory_stays),
        SCENARIO_WITHOUT_SERVER(given_more_query_arguments_than_fit_when_sent_then_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
