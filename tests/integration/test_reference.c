/* Replays the reference server's recorded conversations (vectors/reference.json) against ours, each
 * case on a fresh server with an empty ledger, without nonces and with the recording's clock, byte
 * for byte over a socket. vectors/departures.json names, by the row of protocol.md section 7 that
 * allows it, every step in which ours is to differ and how; a step that isn't listed must agree,
 * and a listed one that agrees fails too. */
#include "checked_exchange.h"
#include "local_server.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTORS TANDEM_SOURCE_DIR "/tests/vectors/"

/* What a step is to be answered with. */
struct expectation {
    unsigned status;
    struct bytes body;
    const char *content_type; /* NULL: none */
};

struct replay {
    struct scene *scene;
    json_t *keys;
    json_t *departures; /* "case#step" to the departure, taken out once it was met */
    size_t steps;
    size_t departed;
    size_t failures;
};

static const char *text_at(json_t *object, const char *name) {
    return json_string_value(json_object_get(object, name));
}

static json_t *load(const char *name) {
    char path[512];
    json_error_t error;
    snprintf(path, sizeof path, VECTORS "%s", name);
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (root == NULL)
        fail_msg("%s: line %d: %s", path, error.line, error.text);
    return root;
}

static struct bytes decode_base64(struct arena *arena, const char *text) {
    size_t size = strlen(text);
    unsigned char *out = arena_take(arena, size + 1);
    int decoded = EVP_DecodeBlock(out, (const unsigned char *)text, (int)size);
    assert_true(decoded >= 0);
    size_t padding = 0;
    while (padding < size && text[size - 1 - padding] == '=')
        padding++;
    return (struct bytes){out, (size_t)decoded - padding};
}

static struct bytes decode_hex(struct arena *arena, const char *digits) {
    size_t size = strlen(digits) / 2;
    unsigned char *out = arena_take(arena, size + 1);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(sscanf(digits + 2 * i, "%2hhx", &out[i]), 1);
    return (struct bytes){out, size};
}

/* A text whose characters stand for bytes. */
static struct bytes decode_latin1(struct arena *arena, const char *text) {
    unsigned char *out = arena_take(arena, strlen(text) + 1);
    size_t size = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        out[size] = *at;
        if (*at >= 0xC0) {
            out[size] = (unsigned char)(at[0] << 6 | (at[1] & 0x3F));
            at++;
        }
        size++;
    }
    return (struct bytes){out, size};
}

/* A field that is there as text, as base64, or not at all. */
static bool bytes_at(struct arena *arena, json_t *step, const char *name, struct bytes *out) {
    json_t *text = json_object_get(step, arena_format(arena, "%s_text", name));
    const char *base64 = text_at(step, arena_format(arena, "%s_b64", name));
    if (json_is_string(text))
        *out = (struct bytes){(const unsigned char *)json_string_value(text),
                              json_string_length(text)};
    else if (base64 != NULL)
        *out = decode_base64(arena, base64);
    return json_is_string(text) || base64 != NULL;
}

/* A clock reading in microseconds, exactly: a number of seconds, or a text with a fraction. */
static int64_t time_at(json_t *step) {
    json_t *now = json_object_get(step, "now");
    if (json_is_integer(now))
        return (int64_t)json_integer_value(now) * 1000000;
    const char *text = json_string_value(now);
    int64_t seconds = 0;
    char fraction[7] = "";
    assert_int_equal(sscanf(text, "%" SCNd64 ".%6[0-9]", &seconds, fraction), 2);
    while (strlen(fraction) < 6)
        strcat(fraction, "0");
    assert_true(seconds >= 0);
    return seconds * 1000000 + strtol(fraction, NULL, 10);
}

static void append_header(struct buffer *out, const char *name, const char *value,
                          struct arena *arena) {
    buffer_append(out, decode_latin1(arena, name));
    buffer_append_text(out, ": ");
    buffer_append(out, decode_latin1(arena, value));
    buffer_append_text(out, "\r\n");
}

/* The bytes that the recording sent: see "about" in the file. */
static struct bytes request_bytes(json_t *step, struct arena *arena) {
    struct buffer out = buffer_new(SIZE_MAX);
    struct bytes tail = BYTES("");
    buffer_append_text(&out, arena_format(arena, "%s ", text_at(step, "method")));
    buffer_append(&out, decode_latin1(arena, text_at(step, "path")));
    buffer_append_text(&out, arena_format(arena, " %s\r\n", text_at(step, "http")));
    append_header(&out, "Host", "oracle.test", arena);
    append_header(&out, "Connection", "close", arena);
    size_t i;
    json_t *header;
    json_array_foreach(json_object_get(step, "request_headers"), i, header) {
        append_header(&out, json_string_value(json_array_get(header, 0)),
                      json_string_value(json_array_get(header, 1)), arena);
    }
    bool has_raw_tail = text_at(step, "request_raw_tail_b64") != NULL;
    bool has_body =
        bytes_at(arena, step, has_raw_tail ? "request_raw_tail" : "request_body", &tail);
    if (has_body && !has_raw_tail)
        append_header(&out, "Content-Length", arena_format(arena, "%zu", tail.size), arena);
    buffer_append_text(&out, "\r\n");
    buffer_append(&out, tail);
    struct bytes copy = arena_copy(arena, buffer_bytes(&out));
    buffer_done(&out);
    return copy;
}

static const struct client_reply *send_step(struct scene *scene, json_t *step) {
    struct client client;
    struct client_request request = {
        .method = text_at(step, "method"),
        .target = (const char *)decode_latin1(&scene->arena, text_at(step, "path")).data,
    };
    bytes_at(&scene->arena, step, "request_body", &request.body);
    connect_to(scene, &client);
    send_text(&client, request_bytes(step, &scene->arena));
    const struct client_reply *reply = receive(scene, &client, &request);
    client_close(&client);
    return reply;
}

static bool texts_equal(const char *left, const char *right) {
    return left == NULL || right == NULL ? left == right : strcmp(left, right) == 0;
}

static bool agrees(const struct client_reply *reply, const struct expectation *expected) {
    return reply->status == expected->status && bytes_equal(reply->body, expected->body) &&
           texts_equal(client_reply_header(reply, "Content-Type"), expected->content_type);
}

static struct expectation recorded(struct arena *arena, json_t *step) {
    struct expectation expected = {
        .status = (unsigned)json_integer_value(json_object_get(step, "status")),
        .body = BYTES(""),
        .content_type = text_at(step, "content_type"),
    };
    assert_true(bytes_at(arena, step, "reply_body", &expected.body));
    return expected;
}

static struct expectation departing(json_t *departure) {
    const char *reply = text_at(departure, "reply");
    assert_non_null(reply);
    return (struct expectation){
        .status = (unsigned)json_integer_value(json_object_get(departure, "status")),
        .body = bytes_of_text(reply),
        .content_type = "application/json;charset=utf-8",
    };
}

static void complain(struct replay *replay, const char *where, const char *what,
                     const struct client_reply *reply, const struct expectation *expected) {
    replay->failures++;
    printf("  %s %s\n    expected %u %.*s\n    got %u %s\n", where, what, expected->status,
           (int)expected->body.size, (const char *)expected->body.data, reply->status,
           (const char *)reply->body.data);
}

static void judge(struct replay *replay, const char *where, json_t *step,
                  const struct client_reply *reply) {
    struct expectation reference = recorded(&replay->scene->arena, step);
    json_t *departure = json_object_get(replay->departures, where);
    replay->steps++;
    if (departure == NULL) {
        if (!agrees(reply, &reference))
            complain(replay, where, "departs and is not listed", reply, &reference);
        return;
    }
    struct expectation ours = departing(departure);
    replay->departed++;
    if (agrees(reply, &reference))
        complain(replay, where, "is listed and agrees", reply, &ours);
    else if (!agrees(reply, &ours))
        complain(replay, where, "departs in another way than listed", reply, &ours);
    json_object_del(replay->departures, where);
}

static struct local_server *start_for(struct replay *replay, json_t *recording) {
    const char *key = text_at(replay->keys, text_at(recording, "key"));
    json_t *first = json_array_get(json_object_get(recording, "steps"), 0);
    return local_server_start(&(struct local_options){
        .key = key == NULL ? BYTES("") : decode_hex(&replay->scene->arena, key),
        .time = time_at(first),
        .capacity = 64,
        .valid_for = VALID_FOR_DEFAULT,
    });
}

static void replay_case(struct replay *replay, json_t *recording) {
    struct local_server *server = start_for(replay, recording);
    assert_non_null(server);
    replay->scene->server.address = *local_server_address(server);
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(recording, "steps"), i, step) {
        local_server_set_time(server, time_at(step));
        const char *where =
            arena_format(&replay->scene->arena, "%s#%zu", text_at(recording, "name"), i);
        judge(replay, where, step, send_step(replay->scene, step));
    }
    local_server_stop(server);
    arena_done(&replay->scene->arena);
}

/* All departures by "case#step". */
static json_t *index_departures(struct arena *arena, json_t *rows) {
    json_t *index = json_object();
    size_t i, j;
    json_t *row, *departure;
    json_array_foreach(rows, i, row) {
        json_array_foreach(json_object_get(row, "departures"), j, departure) {
            const char *where =
                arena_format(arena, "%s#%" JSON_INTEGER_FORMAT, text_at(departure, "case"),
                             json_integer_value(json_object_get(departure, "step")));
            if (json_object_get(index, where) != NULL)
                fail_msg("%s is listed twice", where);
            json_object_set(index, where, departure);
        }
        printf("  %3zu departures: %s\n", json_array_size(json_object_get(row, "departures")),
               text_at(row, "row"));
    }
    return index;
}

static void complain_of_unmet(struct replay *replay) {
    const char *where;
    json_t *departure;
    json_object_foreach(replay->departures, where, departure) {
        printf("  %s is listed, and there is no such step\n", where);
        replay->failures++;
    }
}

static void
given_the_recorded_conversations_when_replayed_then_each_agrees_or_departs_as_listed(void **state) {
    struct replay replay = {.scene = *state};
    json_t *recordings = load("reference.json");
    json_t *rows = load("departures.json");
    json_t *cases = json_object_get(recordings, "cases");
    replay.keys = json_object_get(json_object_get(recordings, "about"), "keys_hex");
    replay.departures = index_departures(&replay.scene->arena, rows);
    size_t i;
    json_t *recording;
    json_array_foreach(cases, i, recording) {
        replay_case(&replay, recording);
    }
    complain_of_unmet(&replay);
    printf("  %zu cases, %zu steps: %zu agree, %zu depart as listed, %zu are wrong\n",
           json_array_size(cases), replay.steps, replay.steps - replay.departed, replay.departed,
           replay.failures);
    assert_int_equal(json_array_size(cases), 365);
    assert_int_equal(replay.failures, 0);
    json_decref(replay.departures);
    json_decref(rows);
    json_decref(recordings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(
            given_the_recorded_conversations_when_replayed_then_each_agrees_or_departs_as_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
