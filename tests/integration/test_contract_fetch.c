/* `tandem contract` with documents behind URLs: our own server's, and those of servers that play a
 * script. Whatever keeps a document from coming whole is exit code 2, and says which and why. */
#include "fixtures.h"

#include "scene.h"
#include "scripted_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROVIDER TANDEM_SOURCE_DIR "/openapi/booking.json"
#define CLIENT TANDEM_SOURCE_DIR "/openapi/consumers/booking-client.json"
#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define COPY                                                                                       \
    "{\"consumer\":\"another\",\"expectations\":[{\"round\":\"one\",\"method\":\"get\",\"path\":"  \
    "\"/livez\"}]}"

static struct ended contract(struct scene *scene, const char *const *words) {
    return scene_run(scene, words, NULL);
}

static void expect(const struct ended *ended, const char *name, int exit_code, const char *out,
                   const char *error) {
    if (ended->exit_code != exit_code || strcmp((const char *)ended->out.data, out) != 0 ||
        strcmp(ended->error, error) != 0)
        fail_msg("%s: exit code %d\nout: %s\nerror: %s", name, ended->exit_code,
                 (const char *)ended->out.data, ended->error);
}

static void given_our_server_when_its_document_is_fetched_then_our_client_agrees(void **state) {
    struct scene *scene = *state;
    const struct server_address *address = &scene->server.address;
    const char *url =
        arena_format(&scene->arena, "http://%s:%u/openapi.json", address->host, address->port);
    struct ended ended = contract(scene, (const char *const[]){"contract", url, CLIENT, NULL});
    expect(&ended, "our own", 0, "the booking client: no differences\n", "");
}

static void given_a_consumer_behind_a_url_when_compared_then_it_is_read_too(void **state) {
    struct scene *scene = *state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(OK_HEAD "\r\n" COPY)},
        {.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" COPY)},
    };
    struct scripted_server *server = scripted_server_start(steps, LENGTH_OF(steps));
    assert_non_null(server);
    const char *url =
        arena_format(&scene->arena, "%s/a/../copy.json?x=1", scripted_server_url(server));
    for (size_t i = 0; i < LENGTH_OF(steps); i++) {
        struct ended ended =
            contract(scene, (const char *const[]){"contract", PROVIDER, url, NULL});
        expect(&ended, "a copy", 0, "another: no differences\n", "");
    }
    scripted_server_stop(server);
    static const char begin[] = "GET /a/../copy.json?x=1 HTTP/1.1\r\n";
    struct bytes request = scripted_server_request(server, 0);
    assert_true(bytes_equal(bytes_up_to(request, sizeof begin - 1), bytes_of_text(begin)));
    assert_non_null(strstr((const char *)request.data, "\r\nAccept: application/json"));
    scripted_server_free(server);
}

struct bad_reply {
    struct script_step step;
    const char *why; /* after the URL */
};

#define TO_NOWHERE                                                                                 \
    "the server refused it (302); it pointed to http://x/\\u001b[2J, and redirects are not "       \
    "followed"

static const struct bad_reply bad_replies[] = {
    {{.reply = ROW_BYTES("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone")},
     "the server refused it (404)"},
    {{.reply = ROW_BYTES("HTTP/1.1 500 No\r\nContent-Length: 4\r\n\r\n")},
     "the server refused it (500)"},
    {{.reply = ROW_BYTES("HTTP/1.1 302 There\r\nLocation: http://x/\x1b[2J\r\n\r\n")}, TO_NOWHERE},
    {{.reply = ROW_BYTES("HTTP/1.1 304 Same\r\n\r\n")}, "the server refused it (304)"},
    {{.reply = ROW_BYTES("")}, "the server gave no reply: Empty reply from server"},
    {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\n")}, "the server gave no reply"},
    {{.reply = ROW_BYTES(OK_HEAD "Content-Length: 1000\r\n\r\n" COPY)},
     "the reply was cut: transfer closed with 914 bytes remaining to read"},
    {{.reply = ROW_BYTES(OK_HEAD "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")},
     "the reply was cut"},
    {{.reply = ROW_BYTES(OK_HEAD "\r\n"), .end = SCRIPT_HOLD},
     "the reply was cut: Operation timed out"},
    {{.reply = ROW_BYTES("HTTP/1.1 204 None\r\n\r\n")}, "line 1, column 0: the JSON is cut short"},
    {{.reply = ROW_BYTES("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>")},
     "line 1, column 1: not JSON"},
    {{.reply = ROW_BYTES(OK_HEAD "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08")},
     "line 1, column 1: not"},
    {{.reply = ROW_BYTES(OK_HEAD "\r\n{}")}, "consumer is missing"},
};

static void given_a_bad_reply_when_fetched_then_two_and_it_names_the_url(void **state) {
    struct scene *scene = *state;
    for (size_t i = 0; i < LENGTH_OF(bad_replies); i++) {
        struct scripted_server *server = scripted_server_start(&bad_replies[i].step, 1);
        assert_non_null(server);
        const char *url =
            arena_format(&scene->arena, "%s/copy.json?secret=1", scripted_server_url(server));
        struct ended ended = contract(
            scene, (const char *const[]){"contract", "--timeout", "1", PROVIDER, url, NULL});
        const char *begin = arena_format(&scene->arena, "tandem contract: %s/copy.json: %s",
                                         scripted_server_url(server), bad_replies[i].why);
        if (ended.exit_code != 2 || ended.out.size != 0 ||
            strncmp(ended.error, begin, strlen(begin)) != 0 ||
            strchr(ended.error, '\n') != ended.error + strlen(ended.error) - 1)
            fail_msg("exit code %d: %snot: %s", ended.exit_code, ended.error, begin);
        scripted_server_stop(server);
        assert_int_equal(scripted_server_connections(server), 1);
        scripted_server_free(server);
    }
}

/* A reply of just the ceiling, and one of a byte more. */
static void given_a_long_document_when_fetched_then_it_is_read_up_to_the_ceiling(void **state) {
    struct scene *scene = *state;
    enum { CEILING = 1 << 20, ROOM = CEILING + 256 };
    char *text = malloc(ROOM);
    assert_non_null(text);
    for (size_t over = 0; over < 2; over++) {
        size_t head = (size_t)snprintf(text, ROOM, OK_HEAD "\r\n" COPY);
        size_t size = head - (sizeof COPY - 1) + CEILING + over;
        memset(text + head, ' ', size - head);
        const struct script_step step = {.reply = {(unsigned char *)text, size}};
        struct scripted_server *server = scripted_server_start(&step, 1);
        assert_non_null(server);
        const char *url = scripted_server_url(server);
        struct ended ended =
            contract(scene, (const char *const[]){"contract", PROVIDER, url, NULL});
        expect(&ended, "a long one", over == 0 ? 0 : 2,
               over == 0 ? "another: no differences\n" : "",
               over == 0 ? ""
                         : arena_format(&scene->arena,
                                        "tandem contract: %s: longer than 1048576 bytes\n", url));
        scripted_server_free(server);
    }
    free(text);
}

static void given_a_url_that_cannot_be_used_when_run_then_two_and_no_secret_shown(void **state) {
    struct scene *scene = *state;
    static const struct {
        const char *words[5];
        const char *error;
    } rows[] = {
        {{"http://me:word@127.0.0.1:1/x?token=1"}, "http://127.0.0.1:1/x: it names a user\n"},
        {{"http://me@word@127.0.0.1:1"}, "http://127.0.0.1:1: it names a user\n"},
        {{"ftp://127.0.0.1/x"}, "ftp://127.0.0.1/x: it is neither http nor https\n"},
        {{"http://127.0.0.1:1/x#y"}, "http://127.0.0.1:1/x: it has a fragment\n"},
        {{"http://localhost:99999/x"}, "http://localhost:99999/x: it is not a URL\n"},
        {{"http://a b/\x1b"}, "http://a b/\\u001b: it is not a URL\n"},
        {{"--timeout", "0", "http://127.0.0.1:1"}, "--timeout"},
        {{"--cacert", "/no/such/file", "http://127.0.0.1:1"}, "/no/such/file can't be read"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        const char *words[8] = {"contract"};
        size_t count = 1;
        for (size_t j = 0; rows[i].words[j] != NULL; j++)
            words[count++] = rows[i].words[j];
        words[count] = CLIENT;
        struct ended ended = contract(scene, words);
        const char *begin = arena_format(&scene->arena, "tandem contract: %s", rows[i].error);
        if (ended.exit_code != 2 || strncmp(ended.error, begin, strlen(begin)) != 0)
            fail_msg("exit code %d: %snot: %s", ended.exit_code, ended.error, begin);
    }
}

#define UNSAFE_PROVIDER                                                                            \
    OK_HEAD "\r\n{\"openapi\":\"3.0.3\",\"paths\":{\"/livez\":{\"get\":{\"responses\":{\"200\":{"  \
            "\"content\":{\"application/json\":{\"schema\":{\"properties\":{\"a\":{\"enum\":["     \
            "\"\xC2\x9B\xE2\x80\xAE\\u007f\\u001b\"]}}}}}}}}}}}"
#define UNSAFE_CONSUMER                                                                            \
    OK_HEAD "\r\n{\"consumer\":\"c\",\"expectations\":[{\"round\":\"one\",\"method\":\"get\","     \
            "\"path\":"                                                                            \
            "\"/livez\",\"reads\":{\"a\":[\"x\"]}}]}"

/* A terminal must not obey a document from the network. */
static void
given_control_characters_in_documents_when_compared_then_they_are_escaped(void **state) {
    struct scene *scene = *state;
    static const struct script_step steps[] = {
        {.reply = ROW_BYTES(UNSAFE_PROVIDER)},
        {.reply = ROW_BYTES(UNSAFE_CONSUMER)},
        {.reply = ROW_BYTES(UNSAFE_PROVIDER)},
        {.reply = ROW_BYTES(UNSAFE_CONSUMER)},
        {.reply = ROW_BYTES(UNSAFE_PROVIDER)},
        {.reply = ROW_BYTES(OK_HEAD "\r\n{\"\xC2\x9B\xE2\x80\xAE\":1}")},
    };
    struct scripted_server *server = scripted_server_start(steps, LENGTH_OF(steps));
    assert_non_null(server);
    const char *url = scripted_server_url(server);
    struct ended ended = contract(scene, (const char *const[]){"contract", url, url, NULL});
    expect(&ended, "text", 1,
           "one: GET /livez reads a; the provider can send \"\\u009b\\u202e\\u007f\\u001b\", which "
           "this consumer doesn't handle\n"
           "one: GET /livez handles a = \"x\", which the provider never sends\n",
           "");
    ended = contract(scene, (const char *const[]){"contract", "--format", "json", url, url, NULL});
    assert_int_equal(ended.exit_code, 1);
    json_t *array = json_loads((const char *)ended.out.data, 0, NULL);
    assert_int_equal(json_array_size(array), 2);
    json_decref(array);
    for (size_t i = 0; i < ended.out.size; i++)
        assert_true(ended.out.data[i] == '\n' ||
                    (ended.out.data[i] >= 0x20 && ended.out.data[i] < 0x7F));
    ended = contract(scene, (const char *const[]){"contract", url, url, NULL});
    expect(&ended, "a problem", 2, "",
           arena_format(
               &scene->arena,
               "tandem contract: %s: \\u009b\\u202e is not a member of a consumer's copy\n", url));
    scripted_server_free(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_our_server_when_its_document_is_fetched_then_our_client_agrees),
        SCENARIO_WITHOUT_SERVER(given_a_consumer_behind_a_url_when_compared_then_it_is_read_too),
        SCENARIO_WITHOUT_SERVER(
            given_control_characters_in_documents_when_compared_then_they_are_escaped),
        SCENARIO_WITHOUT_SERVER(given_a_bad_reply_when_fetched_then_two_and_it_names_the_url),
        SCENARIO_WITHOUT_SERVER(
            given_a_long_document_when_fetched_then_it_is_read_up_to_the_ceiling),
        SCENARIO_WITHOUT_SERVER(
            given_a_url_that_cannot_be_used_when_run_then_two_and_no_secret_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
