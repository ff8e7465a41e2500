/* The integration tests against a server that always answers 400, just as the document declares it:
 * they fail (case F9). */
#include "program.h"
#include "support.h"

#include <arpa/inet.h>
#include <libgen.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A server of one thread that answers every request alike. */
struct fake_server {
    int listener;
    unsigned port;
    pthread_t thread;
};

static const char refusal[] = "HTTP/1.1 400 Bad Request\r\n"
                              "Connection: close\r\n"
                              "Content-Type: application/json;charset=utf-8\r\n"
                              "Cache-Control: no-store\r\n"
                              "X-Content-Type-Options: nosniff\r\n"
                              "X-Request-Id: 0123456789abcdef\r\n"
                              "Content-Length: 29\r\n"
                              "\r\n"
                              "\"requestState doesn't verify\"";

/* The size of the request that `text` begins with, or 0 while its head isn't there. */
static size_t request_size(const char *text) {
    const char *end = strstr(text, "\r\n\r\n");
    const char *length = strstr(text, "Content-Length: ");
    if (end == NULL)
        return 0;
    size_t body = length == NULL ? 0 : strtoul(length + strlen("Content-Length: "), NULL, 10);
    return (size_t)(end - text) + 4 + body;
}

static void answer_one(int connection) {
    static char text[131072];
    size_t size = 0;
    for (;;) {
        ssize_t got = recv(connection, text + size, sizeof text - size - 1, 0);
        if (got <= 0)
            return;
        size += (size_t)got;
        text[size] = '\0';
        size_t whole = request_size(text);
        if (whole > 0 && size >= whole)
            break;
    }
    send(connection, refusal, strlen(refusal), MSG_NOSIGNAL);
}

static void *serve(void *context) {
    struct fake_server *server = context;
    for (;;) {
        int connection = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0)
            return NULL;
        answer_one(connection);
        close(connection);
    }
}

static void fake_server_start(struct fake_server *server) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(server->listener >= 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server->listener, 64), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void fake_server_stop(struct fake_server *server) {
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
}

/* A test program of this folder's, as it was built. */
static const char *sibling(struct arena *arena, const char *name) {
    char path[4096] = "";
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    return arena_format(arena, "%s/%s", dirname(path), name);
}

static void check_that_all_fail(struct arena *arena, const struct fake_server *server,
                                const char *name) {
    const char *const environment[] = {
        arena_format(arena, "TANDEM_TEST_SERVER=127.0.0.1:%u", server->port), NULL};
    const struct program program = {.path = sibling(arena, name), .environment = environment};
    if (access(program.path, X_OK) != 0)
        fail_msg("%s is not built", program.path);
    struct ended ended = program_run(&program, arena);
    bool none_passed = strstr((const char *)ended.out.data, "[  PASSED  ] 0 test(s)") != NULL ||
                       strstr(ended.error, "[  PASSED  ] 0 test(s)") != NULL;
    if (ended.exit_code <= 0 || !none_passed)
        fail_msg("%s passes (exit code %d):\n%s", name, ended.exit_code,
                 (const char *)ended.out.data);
}

static void given_a_server_that_always_answers_400_when_tested_then_every_test_fails(void **state) {
    static const char *const programs[] = {"test_rounds", "test_answers", "test_states"};
    struct arena arena = {0};
    struct fake_server server;
    (void)state;
    fake_server_start(&server);
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        check_that_all_fail(&arena, &server, programs[i]);
    fake_server_stop(&server);
    arena_done(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_server_that_always_answers_400_when_tested_then_every_test_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
