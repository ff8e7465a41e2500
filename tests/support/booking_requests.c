#include "booking_requests.h"

#include "json_text.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

const char NOT_CHOSEN_BODY[] =
    "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"No time was chosen, so nothing "
    "is booked.\",\"status\":\"not_booked\"}}";
const char NOTHING_OPEN_BODY[] =
    "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"Nothing is open then, so the "
    "salon will call you.\",\"status\":\"not_booked\"}}";

struct bytes round_one(struct arena *arena, const char *arguments) {
    return bytes_of_text(arena_format(arena, "{\"arguments\":%s}", arguments));
}

struct bytes round_two_responses(struct arena *arena, const char *arguments, const char *responses,
                                 const char *state) {
    return bytes_of_text(
        arena_format(arena, "{\"arguments\":%s,\"inputResponses\":%s,\"requestState\":%s}",
                     arguments, responses, json_quoted(arena, state)));
}

struct bytes round_two(struct arena *arena, const char *arguments, const char *answer,
                       const char *state) {
    return round_two_responses(arena, arguments, arena_format(arena, "{\"time\":%s}", answer),
                               state);
}

const char *json_quoted(struct arena *arena, const char *text) {
    struct buffer quoted = buffer_new(SIZE_MAX);
    json_write_string(&quoted, bytes_of_text(text));
    struct bytes copy = arena_copy(arena, buffer_bytes(&quoted));
    buffer_done(&quoted);
    return (const char *)copy.data;
}

static json_t *parse(const struct client_reply *reply) {
    return json_loadb((const char *)reply->body.data, reply->body.size, JSON_DECODE_ANY, NULL);
}

static const char *copy_string(struct arena *arena, const json_t *string) {
    return json_is_string(string) ? arena_format(arena, "%s", json_string_value(string)) : NULL;
}

const char *state_of(struct arena *arena, const struct client_reply *reply) {
    json_t *root = parse(reply);
    const char *state = copy_string(arena, json_object_get(root, "requestState"));
    json_decref(root);
    return state;
}

const char *reason_of(struct arena *arena, const struct client_reply *reply) {
    json_t *root = parse(reply);
    const char *reason = copy_string(arena, root);
    json_decref(root);
    return reason;
}

const char *booked_body(struct arena *arena, const char *time) {
    const char *say = json_quoted(arena, arena_format(arena, "%s is yours.", time));
    return arena_format(
        arena,
        "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":%s,\"slot\":%s,"
        "\"status\":\"booked\"}}",
        say, json_quoted(arena, time));
}
