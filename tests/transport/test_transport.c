/* One request against servers that do what servers may not do: cases H1 to H6. */
#include "fixtures.h"

#include "scripted_server.h"
#include "transport.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BOOKED                                                                                     \
    "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"sat-10:30 is "                  \
    "yours.\",\"slot\":"                                                                           \
    "\"sat-10:30\",\"status\":\"booked\"}}"
#define BOOKED_LENGTH "112"
#define BOOKED_REPLY                                                                               \
    "HTTP/1.1 200 OK\r\nContent-Type: "                                                            \
    "application/json;charset=utf-8\r\nContent-Length: " BOOKED_LENGTH "\r\n\r\n" BOOKED
#define JSON_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

enum { REPLY_SIZE_MAX = 262144 };

static const struct transport_header json_headers[] = {
    {ROW_BYTES("Content-Type"), ROW_BYTES("application/json")},
    {ROW_BYTES("Accept"), ROW_BYTES("application/json")},
};

static const struct transport_request a_request = {
    .method = TRANSPORT_POST,
    .target = ROW_BYTES("/salons/elm%2Fstreet/book"),
    .headers = json_headers,
    .header_count = LENGTH_OF(json_headers),
    .body = ROW_BYTES("{\"arguments\":{}}"),
};

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

static struct transport *transport_to(const char *url, long timeout, int interrupt_file) {
    const struct transport_config config = {
        .url = url,
        .timeout = timeout,
        .interrupt_file = interrupt_file,
        .reply_size_max = REPLY_SIZE_MAX,
    };
    struct transport *transport = NULL;
    const char *problem = "";
    if (transport_new(&config, &transport, &problem) != STATUS_OK)
        fail_msg("%s: %s", url, problem);
    return transport;
}

/* A transport to all that a URL names. */
static struct transport *target_transport(const char *url) {
    const struct transport_config config = {
        .url = url,
        .takes_target = true,
        .timeout = 60000,
        .interrupt_file = -1,
        .reply_size_max = REPLY_SIZE_MAX,
    };
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

enum { TIMEOUT_LONG = 60000, TIMEOUT_SHORT = 300, BUSY_MACHINE = 5000 };

static struct scene open_scene(const struct script_step *steps, size_t count, long timeout) {
    struct scene scene = {.server = scripted_server_start(steps, count)};
    assert_non_null(scene.server);
    scene.transport = transport_to(scripted_server_url(scene.server), timeout, -1);
    return scene;
}

static void close_scene(struct scene *scene) {
    transport_free(scene->transport);
    scripted_server_free(scene->server);
}

static struct transport_result post(const struct scene *scene) {
    struct transport_result result;
    assert_int_equal(transport_send(scene->transport, &a_request, &result), STATUS_OK);
    return result;
}

static bool is(struct bytes bytes, const char *text) {
    return bytes_equal(bytes, bytes_of_text(text));
}

static bool request_has(const struct scripted_server *server, size_t index, const char *text) {
    struct bytes request = scripted_server_request(server, index);
    return request.size > 0 && strcasestr((const char *)request.data, text) != NULL;
}

static void given_a_server_when_posted_to_then_the_request_is_plain(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(BOOKED_REPLY)}};
    struct scene scene = open_scene(steps, 1, TIMEOUT_LONG);
    struct transport_result result = post(&scene);
    assert_int_equal(result.kind, TRANSPORT_WHOLE);
    assert_int_equal(result.status, 200);
    assert_true(transport_reply_is(scene.transport, BYTES("application/json")));
    assert_true(result.request_sent);
    assert_true(is(result.body, BOOKED));
    assert_null(result.detail);
    scripted_server_stop(scene.server);
    assert_true(request_has(scene.server, 0, "POST /salons/elm%2Fstreet/book HTTP/1.1\r\n"));
    assert_true(request_has(scene.server, 0, "\r\nContent-Type: application/json\r\n"));
    assert_true(request_has(scene.server, 0, "\r\nContent-Length: 16\r\n"));
    assert_false(request_has(scene.server, 0, "Expect:"));
    assert_true(is(scripted_server_body(scene.server, 0), "{\"arguments\":{}}"));
    close_scene(&scene);
}

/* A body past every size at which libcurl would ask for leave, and a server that never gives it. */
static void given_a_large_body_when_posted_then_nothing_waits_for_a_100(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(BOOKED_REPLY)}};
    static unsigned char body[1048000];
    memset(body, ' ', sizeof body);
    struct scene scene = open_scene(steps, 1, TIMEOUT_LONG);
    const struct transport_request request = {
        .method = TRANSPORT_POST, .target = ROW_BYTES("/x"), .body = {body, sizeof body}};
    struct transport_result result;
    assert_int_equal(transport_send(scene.transport, &request, &result), STATUS_OK);
    assert_int_equal(result.status, 200);
    scripted_server_stop(scene.server);
    assert_false(request_has(scene.server, 0, "Expect:"));
    close_scene(&scene);
}

/* Case H2: what counts as JSON. */
static void given_a_label_when_the_reply_comes_then_it_is_json_or_not(void **state) {
    (void)state;
    static const struct {
        struct script_step step;
        bool is_json;
    } rows[] = {
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")}, false},
        {{.reply = ROW_BYTES(JSON_HEAD "Content-Length: 0\r\n\r\n")}, true},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\ncontent-type:APPLICATION/JSON\r\n\r\n")}, true},
        {{.reply =
              ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/json ; charset=x\r\n\r\n")},
         true},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/json;\r\n\r\n")}, true},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: application/jsonp\r\n\r\n")}, false},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")}, false},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type:\r\n\r\n")}, false},
        {{.reply = ROW_BYTES(JSON_HEAD "Content-Type: text/html\r\n\r\n")}, false},
        {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: "
                             "application/json\r\n\r\n")},
         false},
        {{.reply = ROW_BYTES("HTTP/1.1 103 Early Hints\r\nContent-Type: application/json\r\n\r\n"
                             "HTTP/1.1 200 OK\r\n\r\n")},
         false},
        {{.reply =
              ROW_BYTES("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Type: "
                        "application/json\r\n\r\n")},
         false},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct scene scene = open_scene(&rows[i].step, 1, TIMEOUT_LONG);
        struct transport_result result = post(&scene);
        if (result.kind != TRANSPORT_WHOLE || result.status != 200 ||
            transport_reply_is(scene.transport, BYTES("application/json")) != rows[i].is_json)
            fail_msg("row %zu: kind %d, status %u, JSON %d", i, (int)result.kind, result.status,
                     transport_reply_is(scene.transport, BYTES("application/json")));
        close_scene(&scene);
    }
}

static void given_interim_replies_when_posted_then_the_final_one_counts(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: "
                            "x\r\n\r\n" BOOKED_REPLY),
         .is_in_pieces = true},
        {.reply = ROW_BYTES("HTTP/1.1 100 Continue\r\n\r\n")},
    };
    struct scene scene = open_scene(steps, 2, TIMEOUT_LONG);
    struct transport_result result = post(&scene);
    assert_int_equal(result.status, 200);
    assert_true(is(result.body, BOOKED));
    assert_int_equal(post(&scene).kind, TRANSPORT_NONE);
    close_scene(&scene);
}

/* Case H1: the connection is kept open for one more request, which the server reads and closes. */
static void given_a_server_that_reads_and_closes_when_posted_to_then_it_is_sent_once(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply =
             ROW_BYTES("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"),
         .end = SCRIPT_KEEP},
        {.reply = ROW_BYTES("")},
        {.reply = ROW_BYTES(""), .end = SCRIPT_RESET},
    };
    struct scene scene = open_scene(steps, LENGTH_OF(steps), TIMEOUT_LONG);
    assert_int_equal(post(&scene).kind, TRANSPORT_WHOLE);
    for (size_t i = 1; i < LENGTH_OF(steps); i++) {
        struct transport_result result = post(&scene);
        assert_int_equal(result.kind, TRANSPORT_NONE);
        assert_true(result.request_sent);
        assert_non_null(result.detail);
    }
    scripted_server_stop(scene.server);
    assert_int_equal(scripted_server_requests(scene.server), LENGTH_OF(steps));
    assert_int_equal(scripted_server_connections(scene.server), LENGTH_OF(steps));
    close_scene(&scene);
}

static void given_a_server_that_is_down_when_posted_to_then_nothing_was_sent(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(BOOKED_REPLY), .is_last = true}};
    struct scene scene = open_scene(steps, 1, TIMEOUT_LONG);
    assert_int_equal(post(&scene).kind, TRANSPORT_WHOLE);
    struct transport_result result = post(&scene);
    assert_int_equal(result.kind, TRANSPORT_NONE);
    assert_false(result.request_sent);
    assert_non_null(result.detail);
    close_scene(&scene);
}

/* Case H3. */
static void given_a_redirect_when_posted_then_nothing_is_sent_there(void **state) {
    (void)state;
    static const struct script_step bait = {.reply = ROW_BYTES(BOOKED_REPLY)};
    static const unsigned statuses[] = {301, 302, 303, 307, 308};
    struct scripted_server *elsewhere = scripted_server_start(&bait, 1);
    assert_non_null(elsewhere);
    for (size_t i = 0; i < LENGTH_OF(statuses); i++) {
        char text[256];
        int size = snprintf(text, sizeof text,
                            "HTTP/1.1 %u Elsewhere\r\nLocation:  %s/salons/x/book \r\n"
                            "Content-Length: 0\r\n\r\n",
                            statuses[i], scripted_server_url(elsewhere));
        const struct script_step step = {.reply = {(unsigned char *)text, (size_t)size}};
        struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
        struct transport_result result = post(&scene);
        assert_int_equal(result.kind, TRANSPORT_WHOLE);
        assert_int_equal(result.status, statuses[i]);
        char location[128];
        snprintf(location, sizeof location, "%s/salons/x/book", scripted_server_url(elsewhere));
        assert_true(is(transport_reply_header(scene.transport, "Location").value, location));
        close_scene(&scene);
    }
    scripted_server_stop(elsewhere);
    assert_int_equal(scripted_server_connections(elsewhere), 0);
    scripted_server_free(elsewhere);
}

static void given_a_long_location_when_redirected_then_its_beginning_is_kept(void **state) {
    (void)state;
    static char text[10000];
    int size = snprintf(text, sizeof text, "HTTP/1.1 302 Found\r\nLocation: /%09000d\r\n\r\n", 0);
    const struct script_step step = {.reply = {(unsigned char *)text, (size_t)size}};
    struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
    post(&scene);
    struct transport_field location = transport_reply_header(scene.transport, "location");
    assert_int_equal(location.value.size, TRANSPORT_HEADER_SIZE_MAX);
    assert_true(location.is_cut);
    close_scene(&scene);
}

static int64_t milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Case H6: silence, headers without an end, and a body without an end. */
static void given_a_server_that_stalls_when_posted_to_then_it_ends_within_the_limit(void **state) {
    (void)state;
    static const struct {
        struct script_step step;
        enum transport_kind kind;
    } rows[] = {
        {{.reply = ROW_BYTES(""), .end = SCRIPT_HOLD}, TRANSPORT_NONE},
        {{.reply = ROW_BYTES(""), .end = SCRIPT_HOLD, .reads_nothing = true}, TRANSPORT_NONE},
        {{.reply = ROW_BYTES("HTTP/1.1 100 Continue\r\n\r\n"), .end = SCRIPT_HOLD}, TRANSPORT_NONE},
        {{.reply = ROW_BYTES(JSON_HEAD), .end = SCRIPT_HOLD}, TRANSPORT_NONE},
        {{.reply = ROW_BYTES(JSON_HEAD "\r\n" BOOKED), .end = SCRIPT_HOLD}, TRANSPORT_CUT},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct scene scene = open_scene(&rows[i].step, 1, TIMEOUT_SHORT);
        int64_t before = milliseconds();
        struct transport_result result = post(&scene);
        int64_t passed = milliseconds() - before;
        assert_int_equal(result.kind, rows[i].kind);
        if (passed < TIMEOUT_SHORT - 50 || passed > TIMEOUT_SHORT + BUSY_MACHINE)
            fail_msg("row %zu took %d ms", i, (int)passed);
        close_scene(&scene);
    }
}

static void given_a_reply_over_the_ceiling_when_posted_then_it_cant_be_read(void **state) {
    (void)state;
    static char text[REPLY_SIZE_MAX + 4096];
    static const size_t extra[] = {0, 1, 2048};
    for (size_t i = 0; i < LENGTH_OF(extra); i++) {
        size_t head = (size_t)snprintf(text, sizeof text, JSON_HEAD "\r\n");
        memset(text + head, ' ', REPLY_SIZE_MAX + extra[i]);
        const struct script_step step = {
            .reply = {(unsigned char *)text, head + REPLY_SIZE_MAX + extra[i]}};
        struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
        struct transport_result result = post(&scene);
        assert_int_equal(result.kind, extra[i] == 0 ? TRANSPORT_WHOLE : TRANSPORT_TOO_LONG);
        assert_true(result.body.size <= REPLY_SIZE_MAX);
        close_scene(&scene);
    }
}

static void given_a_refusal_without_end_when_posted_then_its_status_is_enough(void **state) {
    (void)state;
    static const struct script_step step = {
        .reply = ROW_BYTES("HTTP/1.1 503 Busy\r\nContent-Length: 100000\r\n\r\nbusy"),
        .end = SCRIPT_HOLD};
    struct scene scene = open_scene(&step, 1, TIMEOUT_LONG);
    struct transport_result result = post(&scene);
    assert_int_equal(result.kind, TRANSPORT_WHOLE);
    assert_int_equal(result.status, 503);
    assert_int_equal(result.body.size, 0);
    close_scene(&scene);
}

/* Case H5. */
static void given_a_dead_proxy_when_the_server_is_on_this_machine_then_it_works(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)}};
    static const char *const hosts[] = {"127.0.0.1", "127.1", "localhost", "LocalHost",
                                        "tandem.localhost"};
    struct scripted_server *server = scripted_server_start(steps, LENGTH_OF(steps));
    assert_non_null(server);
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("all_proxy", "http://127.0.0.1:1", 1);
    for (size_t i = 0; i < LENGTH_OF(hosts); i++) {
        char url[64];
        snprintf(url, sizeof url, "http://%s:%u", hosts[i], scripted_server_port(server));
        struct transport *transport = transport_to(url, TIMEOUT_LONG, -1);
        struct transport_result result;
        assert_int_equal(transport_send(transport, &a_request, &result), STATUS_OK);
        if (result.kind != TRANSPORT_WHOLE)
            fail_msg("%s: %s", hosts[i], result.detail);
        transport_free(transport);
    }
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    scripted_server_free(server);
}

static void given_a_dead_proxy_when_the_server_is_at_ipv6_loopback_then_it_works(void **state) {
    (void)state;
    static const struct script_step step = {.reply = ROW_BYTES(BOOKED_REPLY)};
    struct scripted_server *server = scripted_server_start_v6(&step, 1);
    if (server == NULL)
        skip(); /* this machine has no IPv6 */
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    struct transport *transport = transport_to(scripted_server_url(server), TIMEOUT_LONG, -1);
    struct transport_result result;
    assert_int_equal(transport_send(transport, &a_request, &result), STATUS_OK);
    unsetenv("http_proxy");
    assert_int_equal(result.kind, TRANSPORT_WHOLE);
    transport_free(transport);
    scripted_server_free(server);
}

static void given_a_proxy_when_the_server_is_elsewhere_then_it_is_used(void **state) {
    (void)state;
    static const struct script_step step = {.reply = ROW_BYTES(BOOKED_REPLY)};
    struct scripted_server *proxy = scripted_server_start(&step, 1);
    assert_non_null(proxy);
    setenv("http_proxy", scripted_server_url(proxy), 1);
    struct transport *transport = transport_to("http://salon.invalid", TIMEOUT_LONG, -1);
    struct transport_result result;
    assert_int_equal(transport_send(transport, &a_request, &result), STATUS_OK);
    unsetenv("http_proxy");
    assert_int_equal(result.kind, TRANSPORT_WHOLE);
    transport_free(transport);
    scripted_server_stop(proxy);
    assert_true(request_has(proxy, 0, "POST http://salon.invalid/salons/elm%2Fstreet/book "));
    scripted_server_free(proxy);
}

static void given_an_interruption_when_posting_then_it_ends_at_once(void **state) {
    (void)state;
    static const struct script_step step = {.end = SCRIPT_HOLD};
    struct scripted_server *server = scripted_server_start(&step, 1);
    assert_non_null(server);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct transport *transport = transport_to(scripted_server_url(server), TIMEOUT_LONG, ends[0]);
    /* It interrupts itself as soon as the server has the request: the pipe is written by a child.
     */
    pid_t child = fork();
    if (child == 0) {
        usleep(100000);
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    struct transport_result result;
    assert_int_equal(transport_send(transport, &a_request, &result), STATUS_OK);
    assert_true(result.is_interrupted);
    assert_int_equal(result.kind, TRANSPORT_NONE);
    assert_true(result.request_sent);
    assert_null(result.detail);
    /* And before anything is sent. */
    assert_int_equal(transport_send(transport, &a_request, &result), STATUS_OK);
    assert_true(result.is_interrupted);
    assert_false(result.request_sent);
    transport_free(transport);
    scripted_server_stop(server);
    assert_int_equal(scripted_server_connections(server), 1);
    scripted_server_free(server);
    close(ends[0]);
    close(ends[1]);
}

static void given_a_url_that_names_more_than_a_server_when_read_then_it_is_refused(void **state) {
    (void)state;
    static const char *const urls[] = {
        "",
        "127.0.0.1:8080",
        "localhost",
        "ftp://localhost",
        "file:///etc/passwd",
        "http://",
        "http://localhost:99999",
        "http://localhost/salons",
        "http://localhost//",
        "http://localhost/?x",
        "http://localhost/#x",
        "http://user@localhost",
        "http://user:word@localhost",
        "http://local host",
        "http://localhost\n",
        "http://localhost/../",
    };
    for (size_t i = 0; i < LENGTH_OF(urls); i++) {
        const struct transport_config config = {
            .url = urls[i], .timeout = TIMEOUT_SHORT, .interrupt_file = -1, .reply_size_max = 1};
        struct transport *transport = NULL;
        const char *problem = NULL;
        if (transport_new(&config, &transport, &problem) != STATUS_INVALID || problem == NULL)
            fail_msg("\"%s\" is taken", urls[i]);
        assert_null(transport);
    }
    static const char *const good[] = {"http://localhost", "HTTPS://salon.example:8443/",
                                       "http://[::1]:8080", "http://127.0.0.1:1/"};
    for (size_t i = 0; i < LENGTH_OF(good); i++)
        transport_free(transport_to(good[i], TIMEOUT_SHORT, -1));
}

static void
given_a_url_with_a_path_when_got_then_path_and_query_are_sent_as_they_are(void **state) {
    (void)state;
    static const struct {
        const char *rest;
        const char *line;
    } rows[] = {
        {"", "GET / HTTP/1.1\r\n"},
        {"/", "GET / HTTP/1.1\r\n"},
        {"/openapi.json", "GET /openapi.json HTTP/1.1\r\n"},
        {"/a/../b%2Fc//d.json?x=%20y&z", "GET /a/../b%2Fc//d.json?x=%20y&z HTTP/1.1\r\n"},
        {"?x=1", "GET /?x=1 HTTP/1.1\r\n"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        static const struct script_step step = {.reply = ROW_BYTES(BOOKED_REPLY)};
        struct scripted_server *server = scripted_server_start(&step, 1);
        assert_non_null(server);
        char url[128];
        snprintf(url, sizeof url, "%s%s", scripted_server_url(server), rows[i].rest);
        struct transport *transport = target_transport(url);
        struct transport_result result;
        const struct transport_request get = {.method = TRANSPORT_GET};
        assert_int_equal(transport_send(transport, &get, &result), STATUS_OK);
        assert_int_equal(result.kind, TRANSPORT_WHOLE);
        assert_true(is(result.body, BOOKED));
        transport_free(transport);
        scripted_server_stop(server);
        if (!request_has(server, 0, rows[i].line) || request_has(server, 0, "Content-"))
            fail_msg("%s: %s", url, (const char *)scripted_server_request(server, 0).data);
        scripted_server_free(server);
    }
}

static void given_a_url_with_a_path_when_it_is_not_one_then_it_is_refused(void **state) {
    (void)state;
    static const char *const urls[] = {"http://user@localhost/x", "http://user:word@localhost/x",
                                       "ftp://localhost/x",       "http://localhost/x#y",
                                       "http://local host/x",     "openapi.json"};
    for (size_t i = 0; i < LENGTH_OF(urls); i++) {
        const struct transport_config config = {
            .url = urls[i], .takes_target = true, .interrupt_file = -1, .reply_size_max = 1};
        struct transport *transport = NULL;
        const char *problem = NULL;
        if (transport_new(&config, &transport, &problem) != STATUS_INVALID || problem == NULL)
            fail_msg("\"%s\" is taken", urls[i]);
    }
}

static void given_headers_when_sent_then_they_come_as_they_are_or_nothing_does(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(BOOKED_REPLY)}};
    static const struct transport_header good[] = {
        {ROW_BYTES("Accept"), ROW_BYTES("application/json, text/event-stream")},
        {ROW_BYTES("Mcp-Session-Id"), ROW_BYTES("a\tb c")},
        {ROW_BYTES("X-Empty"), ROW_BYTES("")},
    };
    static const struct transport_header bad[] = {
        {ROW_BYTES("X-A"), ROW_BYTES("b\r\nX-C: d")},
        {ROW_BYTES("X-A"), ROW_BYTES("b\0c")},
        {ROW_BYTES("X-A:b"), ROW_BYTES("c")},
        {ROW_BYTES("X A"), ROW_BYTES("c")},
        {ROW_BYTES(""), ROW_BYTES("c")},
    };
    struct scene scene = open_scene(steps, 1, TIMEOUT_LONG);
    struct transport_result result;
    for (size_t i = 0; i < LENGTH_OF(bad); i++) {
        const struct transport_request request = {
            .target = ROW_BYTES("/x"), .headers = &bad[i], .header_count = 1};
        if (transport_send(scene.transport, &request, &result) != STATUS_INVALID)
            fail_msg("bad header %zu is taken", i);
    }
    const struct transport_request request = {
        .target = ROW_BYTES("/x"), .headers = good, .header_count = LENGTH_OF(good)};
    assert_int_equal(transport_send(scene.transport, &request, &result), STATUS_OK);
    scripted_server_stop(scene.server);
    assert_int_equal(scripted_server_connections(scene.server), 1);
    assert_true(request_has(scene.server, 0,
                            "\r\nAccept: application/json, text/event-stream\r\n"
                            "Mcp-Session-Id: a\tb c\r\nX-Empty:\r\n"));
    close_scene(&scene);
}

static void given_one_transport_when_methods_alternate_then_each_request_is_its_own(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)},
                                               {.reply = ROW_BYTES(BOOKED_REPLY)}};
    static const struct transport_request requests[] = {
        {.method = TRANSPORT_POST, .target = ROW_BYTES("/a"), .body = ROW_BYTES("abc")},
        {.method = TRANSPORT_GET, .target = ROW_BYTES("/b")},
        {.method = TRANSPORT_POST, .target = ROW_BYTES("/c")},
        {.method = TRANSPORT_GET, .target = ROW_BYTES("/d")},
    };
    static const char *const lines[] = {"POST /a HTTP", "GET /b HTTP", "POST /c HTTP",
                                        "GET /d HTTP"};
    struct scene scene = open_scene(steps, LENGTH_OF(steps), TIMEOUT_LONG);
    for (size_t i = 0; i < LENGTH_OF(requests); i++) {
        struct transport_result result;
        assert_int_equal(transport_send(scene.transport, &requests[i], &result), STATUS_OK);
        assert_int_equal(result.kind, TRANSPORT_WHOLE);
    }
    scripted_server_stop(scene.server);
    for (size_t i = 0; i < LENGTH_OF(requests); i++)
        assert_true(request_has(scene.server, i, lines[i]));
    assert_true(is(scripted_server_body(scene.server, 0), "abc"));
    assert_true(request_has(scene.server, 2, "\r\nContent-Length: 0\r\n"));
    assert_false(request_has(scene.server, 3, "Content-Length"));
    close_scene(&scene);
}

static void given_names_to_keep_when_the_reply_comes_then_their_headers_are_there(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nmcp-session-id:  a b \r\nX-Two: 1\r\nX-two: 2\r\n"
                            "X-Other: 3\r\nContent-Length: 0\r\n\r\n")},
        {.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")},
        {.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nMcp-Session-Id: a\r\n")},
    };
    static const char *const names[] = {"Mcp-Session-Id", "x-two", NULL};
    struct scripted_server *server = scripted_server_start(steps, LENGTH_OF(steps));
    const struct transport_config config = {.url = scripted_server_url(server),
                                            .timeout = TIMEOUT_LONG,
                                            .interrupt_file = -1,
                                            .reply_size_max = 10,
                                            .kept = names};
    struct scene scene = {.server = server};
    const char *problem = NULL;
    assert_int_equal(transport_new(&config, &scene.transport, &problem), STATUS_OK);
    post(&scene);
    struct transport_field session = transport_reply_header(scene.transport, "mcp-session-id");
    assert_int_equal(session.count, 1);
    assert_true(is(session.value, "a b"));
    assert_int_equal(transport_reply_header(scene.transport, "X-TWO").count, 2);
    assert_true(is(transport_reply_header(scene.transport, "x-two").value, "2"));
    assert_int_equal(transport_reply_header(scene.transport, "x-other").count, 0);
    for (size_t i = 1; i < LENGTH_OF(steps); i++) {
        post(&scene);
        assert_int_equal(transport_reply_header(scene.transport, "mcp-session-id").count, 0);
    }
    close_scene(&scene);
}

/* What a sink was given, and what it says at which total. */
struct sink_log {
    const struct transport *transport;
    struct buffer text;
    size_t last; /* at this size it says `verdict` */
    enum transport_verdict verdict;
    unsigned status;
    bool is_stream;
};

static enum transport_verdict log_piece(void *context, struct bytes piece) {
    struct sink_log *log = context;
    buffer_append(&log->text, piece);
    log->status = transport_status(log->transport);
    log->is_stream = transport_reply_is(log->transport, BYTES("text/event-stream"));
    return log->text.size >= log->last ? log->verdict : TRANSPORT_MORE;
}

#define STREAM_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
#define CHUNKED "Transfer-Encoding: chunked\r\n\r\n"

struct sink_row {
    struct script_step step;
    size_t last;
    enum transport_verdict verdict;
    enum transport_kind kind;
    const char *text; /* what the sink was given */
};

static const struct sink_row sink_rows[] = {
    {{.reply = ROW_BYTES(STREAM_HEAD CHUNKED "5\r\nhello\r\n0\r\n\r\n")},
     SIZE_MAX,
     TRANSPORT_MORE,
     TRANSPORT_WHOLE,
     "hello"},
    {{.reply = ROW_BYTES(STREAM_HEAD "\r\nhello"), .is_in_pieces = true},
     SIZE_MAX,
     TRANSPORT_MORE,
     TRANSPORT_WHOLE,
     "hello"},
    {{.reply = ROW_BYTES(STREAM_HEAD CHUNKED "5\r\nhello\r\n"), .end = SCRIPT_HOLD},
     5,
     TRANSPORT_STOP,
     TRANSPORT_STOPPED,
     "hello"},
    {{.reply = ROW_BYTES(STREAM_HEAD "\r\nhello"), .end = SCRIPT_HOLD},
     5,
     TRANSPORT_STOP,
     TRANSPORT_STOPPED,
     "hello"},
    {{.reply = ROW_BYTES(STREAM_HEAD "\r\nhello"), .end = SCRIPT_HOLD},
     1,
     TRANSPORT_REFUSE,
     TRANSPORT_REFUSED,
     "hello"},
    {{.reply = ROW_BYTES(STREAM_HEAD CHUNKED "5\r\nhello\r\n")},
     SIZE_MAX,
     TRANSPORT_MORE,
     TRANSPORT_CUT,
     "hello"},
    {{.reply = ROW_BYTES(STREAM_HEAD CHUNKED "5\r\nhelloworld"), .end = SCRIPT_HOLD},
     SIZE_MAX,
     TRANSPORT_MORE,
     TRANSPORT_CUT,
     ""},
    {{.reply = ROW_BYTES(STREAM_HEAD "Transfer-Encoding: gzip\r\n\r\nhello"), .end = SCRIPT_HOLD},
     SIZE_MAX,
     TRANSPORT_MORE,
     TRANSPORT_CUT,
     ""},
    {{.reply = ROW_BYTES(STREAM_HEAD CHUNKED "11\r\n0123456701234567x\r\n"), .end = SCRIPT_HOLD},
     SIZE_MAX,
     TRANSPORT_MORE,
     TRANSPORT_TOO_LONG,
     ""},
};

static void play_sink_row(size_t index) {
    const struct sink_row *row = &sink_rows[index];
    struct scripted_server *server = scripted_server_start(&row->step, 1);
    const struct transport_config config = {.url = scripted_server_url(server),
                                            .timeout = TIMEOUT_LONG,
                                            .interrupt_file = -1,
                                            .reply_size_max = 16};
    struct transport *transport = NULL;
    const char *problem = NULL;
    assert_int_equal(transport_new(&config, &transport, &problem), STATUS_OK);
    struct sink_log log = {
        .transport = transport, .text = buffer_new(64), .last = row->last, .verdict = row->verdict};
    const struct transport_request request = {.method = TRANSPORT_POST,
                                              .target = ROW_BYTES("/mcp"),
                                              .body = ROW_BYTES("{}"),
                                              .sink = {log_piece, &log}};
    struct transport_result result;
    assert_int_equal(transport_send(transport, &request, &result), STATUS_OK);
    if (result.kind != row->kind || result.status != 200 || result.body.size != 0 ||
        !is(buffer_bytes(&log.text), row->text))
        fail_msg("row %zu: kind %d, status %u, %.*s", index, (int)result.kind, result.status,
                 (int)log.text.size, (const char *)log.text.data);
    if (log.text.size > 0 && (log.status != 200 || !log.is_stream))
        fail_msg("row %zu: the sink can't tell what it reads", index);
    buffer_done(&log.text);
    transport_free(transport);
    scripted_server_free(server);
}

static void given_a_sink_when_the_body_comes_then_it_has_it_and_may_end_it(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH_OF(sink_rows); i++)
        play_sink_row(i);
}

static void given_a_refusal_with_a_body_when_asked_for_it_then_it_is_there(void **state) {
    (void)state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES("HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\ngone")},
        {.reply = ROW_BYTES("HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\ngone")},
        {.reply = ROW_BYTES("HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\ngo")},
    };
    static const struct {
        bool reads;
        enum transport_kind kind;
        const char *body;
    } rows[] = {
        {false, TRANSPORT_WHOLE, ""}, {true, TRANSPORT_WHOLE, "gone"}, {true, TRANSPORT_CUT, "go"}};
    struct scene scene = open_scene(steps, LENGTH_OF(steps), TIMEOUT_LONG);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        const struct transport_request request = {.target = ROW_BYTES("/x"),
                                                  .reads_refusals = rows[i].reads};
        struct transport_result result;
        assert_int_equal(transport_send(scene.transport, &request, &result), STATUS_OK);
        assert_int_equal(result.status, 404);
        assert_int_equal(result.kind, rows[i].kind);
        assert_true(is(result.body, rows[i].body));
    }
    close_scene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_server_when_posted_to_then_the_request_is_plain),
        cmocka_unit_test(given_a_large_body_when_posted_then_nothing_waits_for_a_100),
        cmocka_unit_test(given_a_label_when_the_reply_comes_then_it_is_json_or_not),
        cmocka_unit_test(given_interim_replies_when_posted_then_the_final_one_counts),
        cmocka_unit_test(given_a_server_that_reads_and_closes_when_posted_to_then_it_is_sent_once),
        cmocka_unit_test(given_a_server_that_is_down_when_posted_to_then_nothing_was_sent),
        cmocka_unit_test(given_a_redirect_when_posted_then_nothing_is_sent_there),
        cmocka_unit_test(given_a_long_location_when_redirected_then_its_beginning_is_kept),
        cmocka_unit_test(given_a_server_that_stalls_when_posted_to_then_it_ends_within_the_limit),
        cmocka_unit_test(given_a_reply_over_the_ceiling_when_posted_then_it_cant_be_read),
        cmocka_unit_test(given_a_refusal_without_end_when_posted_then_its_status_is_enough),
        cmocka_unit_test(given_a_dead_proxy_when_the_server_is_on_this_machine_then_it_works),
        cmocka_unit_test(given_a_dead_proxy_when_the_server_is_at_ipv6_loopback_then_it_works),
        cmocka_unit_test(given_a_proxy_when_the_server_is_elsewhere_then_it_is_used),
        cmocka_unit_test(given_an_interruption_when_posting_then_it_ends_at_once),
        cmocka_unit_test(given_a_url_that_names_more_than_a_server_when_read_then_it_is_refused),
        cmocka_unit_test(given_a_url_with_a_path_when_got_then_path_and_query_are_sent_as_they_are),
        cmocka_unit_test(given_a_url_with_a_path_when_it_is_not_one_then_it_is_refused),
        cmocka_unit_test(given_headers_when_sent_then_they_come_as_they_are_or_nothing_does),
        cmocka_unit_test(given_one_transport_when_methods_alternate_then_each_request_is_its_own),
        cmocka_unit_test(given_names_to_keep_when_the_reply_comes_then_their_headers_are_there),
        cmocka_unit_test(given_a_sink_when_the_body_comes_then_it_has_it_and_may_end_it),
        cmocka_unit_test(given_a_refusal_with_a_body_when_asked_for_it_then_it_is_there),
    };
    return cmocka_run_group_tests(tests, set_up_library, tear_down_library);
}
