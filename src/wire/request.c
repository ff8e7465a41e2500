#include "wire.h"

#include "check.h"
#include "json_read.h"
#include "wire_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct wire_request {
    struct json_tree document;
    const json_t *responses; /* NULL when none came */
    bool has_state;
    struct bytes state;
    struct booking booking;
    struct bytes slots[]; /* the booking's */
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct wire_problem *problem,
                                                         const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    return false;
}

/* A member that may be absent; null counts as absent. */
static const json_t *optional_member(const json_t *object, const char *name) {
    const json_t *member = json_object_get(object, name);
    return json_is_null(member) ? NULL : member;
}

static bool check_object(const json_t *value, const char *where, struct wire_problem *problem) {
    if (value == NULL)
        return refuse(problem, "%s is missing", where);
    if (!json_is_object(value))
        return refuse(problem, "%s is not an object", where);
    return true;
}

bool wire_string_read(const json_t *value, const char *where, size_t size_max, struct bytes *out,
                      struct wire_problem *problem) {
    if (value == NULL)
        return refuse(problem, "%s is missing", where);
    if (!json_is_string(value))
        return refuse(problem, "%s is not a string", where);
    if (json_string_length(value) > size_max)
        return refuse(problem, "%s is longer than %zu bytes", where, size_max);
    *out = json_text(value);
    return true;
}

static bool check_slots(const json_t *slots, struct wire_problem *problem) {
    if (slots == NULL)
        return refuse(problem, "arguments.openSlots is missing");
    if (!json_is_array(slots))
        return refuse(problem, "arguments.openSlots is not an array");
    if (json_array_size(slots) > SLOT_COUNT_MAX)
        return refuse(problem, "arguments.openSlots has more than %d slots", SLOT_COUNT_MAX);
    return true;
}

static bool read_slots(const json_t *slots, struct bytes *out, struct wire_problem *problem) {
    for (size_t i = 0; i < json_array_size(slots); i++) {
        const json_t *slot = json_array_get(slots, i);
        if (!json_is_string(slot))
            return refuse(problem, "arguments.openSlots[%zu] is not a string", i);
        if (json_string_length(slot) > SLOT_SIZE_MAX)
            return refuse(problem, "arguments.openSlots[%zu] is longer than %d bytes", i,
                          SLOT_SIZE_MAX);
        out[i] = json_text(slot);
    }
    return true;
}

static bool read_booking(const json_t *arguments, struct wire_request *request,
                         struct wire_problem *problem) {
    const json_t *slots = json_object_get(arguments, "openSlots");
    request->booking.slots = request->slots;
    request->booking.slot_count = json_array_size(slots);
    return wire_string_read(json_object_get(arguments, "message"), "arguments.message",
                            MESSAGE_SIZE_MAX, &request->booking.message, problem) &&
           read_slots(slots, request->slots, problem);
}

static bool read_retry(const json_t *responses, const json_t *state, struct wire_request *request,
                       struct wire_problem *problem) {
    request->has_state = state != NULL;
    request->responses = responses;
    return state == NULL ||
           wire_string_read(state, "requestState", SIZE_MAX, &request->state, problem);
}

enum status wire_request_of_json(struct bytes salon, const json_t *arguments,
                                 const json_t *responses, const json_t *state,
                                 struct wire_request **out, struct wire_problem *problem) {
    const json_t *slots = json_object_get(arguments, "openSlots");
    if (!wire_salon_check(salon, problem) || !check_slots(slots, problem))
        return STATUS_INVALID;
    size_t slot_count = json_array_size(slots);
    struct wire_request *request = malloc(sizeof *request + slot_count * sizeof request->slots[0]);
    if (request == NULL)
        return STATUS_NO_MEMORY;
    *request = (struct wire_request){.booking.salon = salon};
    if (!read_booking(arguments, request, problem) ||
        !read_retry(responses, state, request, problem)) {
        free(request);
        return STATUS_INVALID;
    }
    *out = request;
    return STATUS_OK;
}

static enum status read_request(struct bytes salon, const struct json_tree *document,
                                struct wire_request **out, struct wire_problem *problem) {
    const json_t *root = document->root;
    const json_t *arguments = json_object_get(root, "arguments");
    if (!json_is_object(root)) {
        refuse(problem, "the body is not an object");
        return STATUS_INVALID;
    }
    if (!check_object(arguments, "arguments", problem))
        return STATUS_INVALID;
    enum status status =
        wire_request_of_json(salon, arguments, optional_member(root, "inputResponses"),
                             optional_member(root, "requestState"), out, problem);
    if (status == STATUS_OK)
        (*out)->document = *document;
    return status;
}

enum status wire_request_parse(struct bytes salon, struct bytes body, struct wire_request **out,
                               struct wire_problem *problem) {
    if (!wire_salon_check(salon, problem))
        return STATUS_INVALID;
    struct json_tree document = {0};
    struct json_problem unreadable;
    enum status status = json_read(body, &document, &unreadable);
    if (status == STATUS_INVALID)
        refuse(problem, "%s", unreadable.text);
    if (status == STATUS_OK)
        status = read_request(salon, &document, out, problem);
    if (status != STATUS_OK)
        json_tree_done(&document);
    return status;
}

void wire_request_free(struct wire_request *request) {
    if (request == NULL)
        return;
    json_tree_done(&request->document);
    free(request);
}

const struct booking *wire_request_booking(const struct wire_request *request) {
    return &request->booking;
}

const struct bytes *wire_request_state(const struct wire_request *request) {
    return request->has_state ? &request->state : NULL;
}

bool wire_request_has_responses(const struct wire_request *request) {
    return request->responses != NULL;
}

bool wire_request_has_answer(const struct wire_request *request) {
    return optional_member(request->responses, "time") != NULL;
}

static struct response response_of_accept(const json_t *answer) {
    const json_t *time = json_object_get(json_object_get(answer, "content"), "time");
    if (!check(CHECK_ANSWER_TIME_TYPE, json_is_string(time)))
        return (struct response){.kind = RESPONSE_MALFORMED};
    return (struct response){RESPONSE_ACCEPT, json_text(time)};
}

static struct response response_of_answer(const json_t *answer) {
    const json_t *action = json_object_get(answer, "action");
    struct bytes name = json_is_string(action) ? json_text(action) : BYTES("");
    if (bytes_equal(name, BYTES("decline")))
        return (struct response){.kind = RESPONSE_DECLINE};
    if (bytes_equal(name, BYTES("cancel")))
        return (struct response){.kind = RESPONSE_CANCEL};
    if (!check(CHECK_ANSWER_ACTION, bytes_equal(name, BYTES("accept"))))
        return (struct response){.kind = RESPONSE_MALFORMED};
    return response_of_accept(answer);
}

bool wire_request_response(const struct wire_request *request, struct response *response,
                           struct wire_problem *problem) {
    const json_t *answer = json_object_get(request->responses, "time");
    struct response read =
        answer == NULL ? (struct response){.kind = RESPONSE_MISSING} : response_of_answer(answer);
    if (!check(CHECK_ANSWER_TIME_SIZE,
               read.kind != RESPONSE_ACCEPT || read.time.size <= SLOT_SIZE_MAX))
        return refuse(problem, "inputResponses.time.content.time is longer than %d bytes",
                      SLOT_SIZE_MAX);
    *response = read;
    return true;
}

bool wire_salon_check(struct bytes salon, struct wire_problem *problem) {
    if (salon.size == 0)
        return refuse(problem, "the salon is empty");
    if (salon.size > SALON_SIZE_MAX)
        return refuse(problem, "the salon is longer than %d bytes", SALON_SIZE_MAX);
    return true;
}

void wire_problem_round_two_size(struct wire_problem *problem, size_t limit) {
    refuse(problem,
           "the answer to this booking could not fit a body of %zu bytes: send fewer slots", limit);
}
