#include "conversation.h"

#include "json_text.h"

#include <stdlib.h>

enum {
    PATH_SIZE_MAX = 65536,
    BODY_SIZE_MAX = 16777216,
    PROBLEM_SIZE_MAX = 2048,
    LOCATION_SIZE_MAX = 65536,
    KEY_SIZE_MAX = 257,
};

struct conversation {
    enum conversation_phase phase;
    enum round under_way;
    struct buffer path;
    struct buffer booking; /* the JSON of `arguments`, the same bytes in both rounds */
    struct buffer body;    /* of the round under way, or the last one */
    struct buffer key;     /* that round two carries; empty: none */
    bool may_repeat;       /* round two */
    bool was_repeated;
    struct decoded reply; /* the last one, decoded */
    struct problem problem;
    struct buffer problem_text; /* what the problem's texts are borrowed from */
    struct buffer location;
};

enum status conversation_new(struct conversation **out) {
    struct conversation *conversation = malloc(sizeof *conversation);
    if (conversation == NULL)
        return STATUS_NO_MEMORY;
    *conversation = (struct conversation){
        .phase = CONVERSATION_IDLE,
        .under_way = ROUND_NONE,
        .path = buffer_new(PATH_SIZE_MAX),
        .booking = buffer_new(BODY_SIZE_MAX),
        .body = buffer_new(BODY_SIZE_MAX),
        .key = buffer_new(KEY_SIZE_MAX),
        .problem_text = buffer_new(PROBLEM_SIZE_MAX),
        .location = buffer_new(LOCATION_SIZE_MAX),
    };
    *out = conversation;
    return STATUS_OK;
}

void conversation_free(struct conversation *conversation) {
    if (conversation == NULL)
        return;
    buffer_done(&conversation->path);
    buffer_done(&conversation->booking);
    buffer_done(&conversation->body);
    buffer_done(&conversation->key);
    decoded_done(&conversation->reply);
    buffer_done(&conversation->problem_text);
    buffer_done(&conversation->location);
    free(conversation);
}

static void swap_buffers(struct buffer *left, struct buffer *right) {
    struct buffer kept = *left;
    *left = *right;
    *right = kept;
}

static bool is_text(struct bytes text) {
    return bytes_are_utf8(text) && bytes_find(text, '\0') == text.size;
}

bool conversation_salon_is_valid(struct bytes salon) {
    return salon.size > 0 && is_text(salon) && !bytes_equal(salon, BYTES(".")) &&
           !bytes_equal(salon, BYTES(".."));
}

/* RFC 3986's unreserved characters, which need no escape in a path. */
static bool is_unreserved(unsigned char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

static void write_path(struct buffer *out, struct bytes salon) {
    static const char digits[] = "0123456789ABCDEF";
    buffer_append(out, BYTES("/salons/"));
    for (size_t i = 0; i < salon.size; i++) {
        unsigned char byte = salon.data[i];
        if (is_unreserved(byte)) {
            buffer_append_byte(out, byte);
            continue;
        }
        buffer_append_byte(out, '%');
        buffer_append_byte(out, (unsigned char)digits[byte >> 4]);
        buffer_append_byte(out, (unsigned char)digits[byte & 15]);
    }
    buffer_append(out, BYTES("/book"));
}

static void write_booking(struct buffer *out, struct bytes message, const struct bytes *slots,
                          size_t slot_count) {
    buffer_append(out, BYTES("{\"message\":"));
    json_write_string(out, message);
    buffer_append(out, BYTES(",\"openSlots\":"));
    json_write_strings(out, slots, slot_count);
    buffer_append_byte(out, '}');
}

/* The part that both rounds begin with. */
static void begin_body(struct conversation *conversation) {
    buffer_clear(&conversation->body);
    buffer_append(&conversation->body, BYTES("{\"arguments\":"));
    buffer_append(&conversation->body, buffer_bytes(&conversation->booking));
}

static enum status first_failure(const struct conversation *conversation) {
    const struct buffer *buffers[] = {&conversation->path, &conversation->booking,
                                      &conversation->body};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (buffers[i]->status != STATUS_OK)
            return buffers[i]->status;
    return STATUS_OK;
}

static enum status send(struct conversation *conversation, enum round round,
                        struct round_request *request) {
    enum status status = first_failure(conversation);
    if (status != STATUS_OK)
        return status;
    conversation->under_way = round;
    *request =
        (struct round_request){buffer_bytes(&conversation->path), buffer_bytes(&conversation->body),
                               round == ROUND_TWO ? buffer_bytes(&conversation->key) : BYTES("")};
    return STATUS_OK;
}

enum status conversation_start(struct conversation *conversation, struct bytes salon,
                               struct bytes message, const struct bytes *slots, size_t slot_count,
                               struct round_request *request) {
    bool is_fresh =
        conversation->phase == CONVERSATION_IDLE && conversation->under_way == ROUND_NONE;
    if (!is_fresh || !conversation_salon_is_valid(salon) || !is_text(message))
        return STATUS_INVALID;
    for (size_t i = 0; i < slot_count; i++)
        if (!is_text(slots[i]))
            return STATUS_INVALID;
    buffer_clear(&conversation->path);
    buffer_clear(&conversation->booking);
    write_path(&conversation->path, salon);
    write_booking(&conversation->booking, message, slots, slot_count);
    begin_body(conversation);
    buffer_append_byte(&conversation->body, '}');
    return send(conversation, ROUND_ONE, request);
}

static enum status nothing_was_asked(struct conversation *conversation) {
    conversation->problem = (struct problem){.text = BYTES("nothing was asked")};
    conversation->phase = CONVERSATION_FAILED;
    conversation->under_way = ROUND_NONE;
    return STATUS_INVALID;
}

/* Sends `answer`, the JSON of the question's response, with the time (or NULL) put into it. */
static enum status send_answer(struct conversation *conversation, struct bytes answer,
                               const struct bytes *time, struct round_request *request) {
    struct buffer *body = &conversation->body;
    begin_body(conversation);
    buffer_append(body, BYTES(",\"inputResponses\":{\"time\":{\"action\":"));
    buffer_append(body, answer);
    if (time != NULL) {
        buffer_append(body, BYTES(",\"content\":{\"time\":"));
        json_write_string(body, *time);
        buffer_append_byte(body, '}');
    }
    buffer_append(body, BYTES("}},\"requestState\":"));
    json_write_string(body, conversation->reply.question.state);
    buffer_append_byte(body, '}');
    return send(conversation, ROUND_TWO, request);
}

enum status conversation_answer(struct conversation *conversation, size_t choice,
                                struct round_request *request) {
    if (conversation->phase != CONVERSATION_ASKING)
        return nothing_was_asked(conversation);
    if (conversation->under_way != ROUND_NONE)
        return STATUS_BUSY;
    if (choice >= conversation->reply.question.time_count)
        return STATUS_LIMIT;
    return send_answer(conversation, BYTES("\"accept\""),
                       &conversation->reply.question.times[choice], request);
}

static enum status choose_none(struct conversation *conversation, struct bytes action,
                               struct round_request *request) {
    if (conversation->phase != CONVERSATION_ASKING)
        return nothing_was_asked(conversation);
    if (conversation->under_way != ROUND_NONE)
        return STATUS_BUSY;
    return send_answer(conversation, action, NULL, request);
}

enum status conversation_decline(struct conversation *conversation, struct round_request *request) {
    return choose_none(conversation, BYTES("\"decline\""), request);
}

enum status conversation_cancel(struct conversation *conversation, struct round_request *request) {
    return choose_none(conversation, BYTES("\"cancel\""), request);
}

enum status conversation_use_key(struct conversation *conversation, struct bytes key) {
    bool is_early =
        conversation->phase == CONVERSATION_IDLE || conversation->phase == CONVERSATION_ASKING;
    if (!is_early || conversation->under_way == ROUND_TWO)
        return STATUS_INVALID;
    struct buffer fresh = buffer_new(KEY_SIZE_MAX);
    buffer_append(&fresh, key);
    enum status status = fresh.status;
    if (status == STATUS_OK)
        swap_buffers(&conversation->key, &fresh);
    buffer_done(&fresh);
    return status;
}

bool conversation_may_repeat(const struct conversation *conversation) {
    return conversation->may_repeat;
}

enum status conversation_repeat(struct conversation *conversation, struct round_request *request) {
    if (!conversation->may_repeat)
        return STATUS_INVALID;
    enum status status = send(conversation, ROUND_TWO, request);
    if (status == STATUS_OK) {
        conversation->may_repeat = false;
        conversation->was_repeated = true;
    }
    return status;
}

/* What becomes of a conversation by a reply, before any of it is kept. */
struct step {
    struct decoded decoded;
    struct buffer problem; /* its text; empty when there is none */
    struct buffer location;
    bool may_be_booked;
};

static bool is_success(unsigned status) {
    return status >= 200 && status < 300;
}

static void begin_problem(enum round round, struct step *step) {
    buffer_append_text(&step->problem, round == ROUND_ONE ? "round one: " : "round two: ");
}

static void read_silence(enum round round, bool request_sent, struct step *step) {
    begin_problem(round, step);
    buffer_append_text(&step->problem, "the server gave no reply");
    step->may_be_booked = request_sent;
}

static void read_refusal(enum round round, const struct round_reply *reply, struct step *step) {
    begin_problem(round, step);
    buffer_append_text(&step->problem, "the server refused it (");
    buffer_append_integer(&step->problem, reply->status);
    buffer_append_byte(&step->problem, ')');
    buffer_append(&step->location, reply->location);
    step->may_be_booked = reply->status >= 500;
}

static enum status read_success(enum round round, const struct round_reply *reply,
                                struct step *step) {
    /* A body that was cut is read as no body, lest its beginning could be taken for a whole. */
    bool is_cut = reply->kind == REPLY_CUT;
    enum status status = decoder_read(round, reply->is_json || is_cut,
                                      is_cut ? BYTES("") : reply->body, &step->decoded);
    if (status != STATUS_OK || step->decoded.problem.size == 0)
        return status;
    begin_problem(round, step);
    buffer_append(&step->problem, buffer_bytes(&step->decoded.problem));
    /* Also a reply that breaks the protocol: whoever sent it took the answer for a success. */
    step->may_be_booked =
        step->decoded.kind == DECODED_UNREADABLE || step->decoded.kind == DECODED_MALFORMED;
    return STATUS_OK;
}

static enum status read_reply(enum round round, const struct round_reply *reply,
                              struct step *step) {
    enum status status = STATUS_OK;
    if (reply->kind == REPLY_NONE)
        read_silence(round, reply->request_sent, step);
    else if (is_success(reply->status))
        status = read_success(round, reply, step);
    else
        read_refusal(round, reply, step);
    if (status == STATUS_OK)
        status = step->problem.status;
    return status == STATUS_OK ? step->location.status : status;
}

static void keep_problem(struct conversation *conversation, const struct round_reply *reply,
                         struct step *step) {
    enum round round = conversation->under_way;
    bool is_unknown = round == ROUND_TWO && step->may_be_booked;
    bool was_unknown = conversation->was_repeated && conversation->problem.may_be_booked;
    conversation->may_repeat =
        round == ROUND_TWO && !conversation->was_repeated && conversation->key.size > 0 &&
        step->decoded.kind != DECODED_MALFORMED && (is_unknown || reply->kind == REPLY_NONE);
    swap_buffers(&conversation->problem_text, &step->problem);
    swap_buffers(&conversation->location, &step->location);
    conversation->problem = (struct problem){
        .text = buffer_bytes(&conversation->problem_text),
        .location = buffer_bytes(&conversation->location),
        .round = round,
        .may_be_booked = is_unknown || was_unknown,
    };
    conversation->phase = CONVERSATION_FAILED;
}

static void keep(struct conversation *conversation, const struct round_reply *reply,
                 struct step *step) {
    if (step->problem.size > 0)
        keep_problem(conversation, reply, step);
    else
        conversation->phase =
            step->decoded.kind == DECODED_QUESTION ? CONVERSATION_ASKING : CONVERSATION_DONE;
    struct decoded last = conversation->reply;
    conversation->reply = step->decoded;
    step->decoded = last;
    conversation->under_way = ROUND_NONE;
}

enum status conversation_reply(struct conversation *conversation, const struct round_reply *reply) {
    if (conversation->under_way == ROUND_NONE)
        return STATUS_INVALID;
    struct step step = {.problem = buffer_new(PROBLEM_SIZE_MAX),
                        .location = buffer_new(LOCATION_SIZE_MAX)};
    enum status status = read_reply(conversation->under_way, reply, &step);
    if (status == STATUS_OK)
        keep(conversation, reply, &step);
    decoded_done(&step.decoded);
    buffer_done(&step.problem);
    buffer_done(&step.location);
    return status;
}

enum conversation_phase conversation_phase(const struct conversation *conversation) {
    return conversation->phase;
}

enum round conversation_under_way(const struct conversation *conversation) {
    return conversation->under_way;
}

const struct question *conversation_question(const struct conversation *conversation) {
    return conversation->phase == CONVERSATION_ASKING ? &conversation->reply.question : NULL;
}

const struct completion *conversation_completion(const struct conversation *conversation) {
    return conversation->phase == CONVERSATION_DONE ? &conversation->reply.completion : NULL;
}

const struct problem *conversation_problem(const struct conversation *conversation) {
    return conversation->phase == CONVERSATION_FAILED ? &conversation->problem : NULL;
}
