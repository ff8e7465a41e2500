#include "service.h"

#include "json_text.h"
#include "wire.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct service {
    struct service_config config;
    pthread_mutex_t lock; /* guards the pointer below, not the ring, which is immutable */
    struct keyring *keyring;
    atomic_bool draining;
};

enum status service_new(const struct service_config *config, struct keyring *keyring,
                        struct service **out) {
    struct service *service = calloc(1, sizeof *service);
    if (service == NULL)
        return STATUS_NO_MEMORY;
    if (pthread_mutex_init(&service->lock, NULL) != 0) {
        free(service);
        return STATUS_IO;
    }
    service->config = *config;
    service->keyring = keyring_retain(keyring);
    atomic_init(&service->draining, false);
    *out = service;
    return STATUS_OK;
}

void service_free(struct service *service) {
    if (service == NULL)
        return;
    keyring_release(service->keyring);
    pthread_mutex_destroy(&service->lock);
    free(service);
}

static struct keyring *current_keyring(struct service *service) {
    pthread_mutex_lock(&service->lock);
    struct keyring *keyring = keyring_retain(service->keyring);
    pthread_mutex_unlock(&service->lock);
    return keyring;
}

void service_set_keyring(struct service *service, struct keyring *keyring) {
    keyring_retain(keyring);
    pthread_mutex_lock(&service->lock);
    struct keyring *old = service->keyring;
    service->keyring = keyring;
    pthread_mutex_unlock(&service->lock);
    keyring_release(old);
}

void service_drain(struct service *service) {
    atomic_store(&service->draining, true);
}

unsigned service_not_ready(struct service *service) {
    struct keyring *keyring = current_keyring(service);
    unsigned reasons = keyring_size(keyring) == 0 ? NOT_READY_NO_KEY : 0;
    keyring_release(keyring);
    if (!ledger_is_ready(service->config.ledger, clock_seconds(service->config.clock)))
        reasons |= NOT_READY_LEDGER;
    if (atomic_load(&service->draining))
        reasons |= NOT_READY_DRAINING;
    return reasons;
}

/* A reply of two texts, sent as one JSON string. */
static void refuse_with(struct service_reply *reply, enum refusal refusal, struct bytes detail,
                        const char *text) {
    reply->kind = REPLY_REFUSAL;
    reply->refusal = refusal;
    buffer_append_byte(&reply->body, '"');
    json_write_characters(&reply->body, detail);
    json_write_characters(&reply->body, bytes_of_text(text));
    buffer_append_byte(&reply->body, '"');
}

static void refuse(struct service_reply *reply, enum refusal refusal) {
    refuse_with(reply, refusal, BYTES(""), refusal_row(refusal)->reason);
}

static void refuse_unreadable(struct service_reply *reply, const struct wire_problem *problem) {
    refuse_with(reply, REFUSAL_UNREADABLE, BYTES(""), problem->text);
}

static void refuse_answer(struct service_reply *reply, enum refusal refusal, struct bytes time) {
    if (refusal != REFUSAL_NEVER_OFFERED)
        return refuse(reply, refusal);
    struct buffer named = buffer_new(SLOT_SIZE_MAX + 1);
    buffer_append(&named, time);
    buffer_append_byte(&named, ' ');
    refuse_with(reply, refusal, buffer_bytes(&named), refusal_row(refusal)->reason);
    buffer_done(&named);
}

/* A request on its way through the checks. */
struct turn {
    struct service *service;
    const struct keyring *keyring;
    const struct wire_request *request;
    const struct booking *booking;
    int64_t now; /* the one reading of the clock that serves the whole request */
    size_t body_size;
    struct service_reply *reply;
};

static void ask(const struct turn *turn, struct offer offered, struct bytes state) {
    size_t limit = turn->service->config.body_size_max;
    if (!wire_round_two_fits(turn->body_size, offered, state, limit)) {
        struct wire_problem problem;
        wire_problem_round_two_size(&problem, limit);
        return refuse_unreadable(turn->reply, &problem);
    }
    turn->reply->outcome = OUTCOME_ASK;
    wire_question_write(&turn->reply->body, offered, state);
}

static enum status issue(const struct turn *turn, struct offer offered, struct buffer *state) {
    const struct service_config *config = &turn->service->config;
    unsigned char nonce[NONCE_SIZE];
    bool has_nonce = false;
    enum status status = config->nonces.draw(config->nonces.context, nonce, &has_nonce);
    if (status != STATUS_OK)
        return status;
    return requeststate_issue(turn->keyring, turn->now + config->valid_for,
                              has_nonce ? nonce : NULL, turn->booking, offered, state);
}

static void round_one(const struct turn *turn) {
    turn->reply->round = 1;
    struct outcome outcome = step(turn->booking, NULL);
    if (outcome.kind == OUTCOME_NOTHING_OPEN) {
        turn->reply->outcome = outcome.kind;
        return wire_not_booked_write(&turn->reply->body, SAY_NOTHING_OPEN);
    }
    struct bytes times[TIMES_ASKED_MAX];
    struct offer offered = slots_to_offer(turn->booking, times);
    struct buffer state = buffer_new(STATE_SIZE_MAX);
    if (issue(turn, offered, &state) == STATUS_OK)
        ask(turn, offered, buffer_bytes(&state));
    else
        refuse(turn->reply, REFUSAL_UNAVAILABLE);
    buffer_done(&state);
}

static enum refusal refusal_of_verdict(enum verdict verdict) {
    switch (verdict) {
    case VERDICT_NOT_VERIFIED:
        return REFUSAL_NOT_VERIFIED;
    case VERDICT_ANOTHER_REQUEST:
        return REFUSAL_ANOTHER_REQUEST;
    case VERDICT_EXPIRED:
        return REFUSAL_EXPIRED;
    case VERDICT_GOOD:
    case VERDICT_FAILED:
        break;
    }
    return REFUSAL_UNAVAILABLE;
}

static void complete(const struct turn *turn, struct outcome outcome) {
    turn->reply->outcome = outcome.kind;
    if (outcome.kind == OUTCOME_BOOKED)
        wire_booked_write(&turn->reply->body, offered_time_text(outcome.time));
    else
        wire_not_booked_write(&turn->reply->body, SAY_NOT_CHOSEN);
}

/* Pure: false, and the refusal that takes the outcome's place, unless the ledger recorded it. */
static bool outcome_stands(enum ledger_fact fact, enum refusal *refusal) {
    switch (fact) {
    case LEDGER_RECORDED:
        return true;
    case LEDGER_USED:
        *refusal = REFUSAL_USED;
        return false;
    case LEDGER_EXPIRED:
        *refusal = REFUSAL_EXPIRED;
        return false;
    case LEDGER_UNAVAILABLE:
        break;
    }
    *refusal = REFUSAL_UNAVAILABLE;
    return false;
}

static void settle(const struct turn *turn, const struct verified_state *state,
                   const struct answer *answer) {
    struct outcome outcome = step(turn->booking, answer);
    struct settlement settlement = {
        .mac = state->mac,
        .nonce = state->claims.has_nonce ? state->claims.nonce : NULL,
        .good_until = state->claims.good_until,
        .now = turn->now,
    };
    enum refusal refusal;
    if (outcome_stands(ledger_settle(turn->service->config.ledger, &settlement), &refusal))
        complete(turn, outcome);
    else
        refuse(turn->reply, refusal);
}

static void answer_state(const struct turn *turn, const struct verified_state *state) {
    struct wire_problem problem;
    struct response response;
    if (!wire_request_response(turn->request, &response, &problem))
        return refuse_unreadable(turn->reply, &problem);
    struct answer answer;
    enum refusal refusal;
    if (!answer_parse(&response, state->claims.offered, &answer, &refusal))
        return refuse_answer(turn->reply, refusal, response.time);
    settle(turn, state, &answer);
}

static void round_two(const struct turn *turn) {
    turn->reply->round = 2;
    struct verified_state state;
    enum verdict verdict = requeststate_verify(turn->keyring, turn->now, turn->booking,
                                               *wire_request_state(turn->request), &state);
    if (verdict != VERDICT_GOOD)
        return refuse(turn->reply, refusal_of_verdict(verdict));
    answer_state(turn, &state);
    verified_state_done(&state);
}

static void take_turn(const struct turn *turn) {
    bool has_state = wire_request_state(turn->request) != NULL;
    if (keyring_size(turn->keyring) == 0)
        refuse(turn->reply, REFUSAL_UNAVAILABLE);
    else if (has_state != wire_request_has_responses(turn->request))
        refuse(turn->reply, REFUSAL_ALONE);
    else if (has_state)
        round_two(turn);
    else
        round_one(turn);
}

void service_book(struct service *service, struct bytes salon, struct bytes body,
                  struct service_reply *reply) {
    *reply = (struct service_reply){.kind = REPLY_RESULT, .body = buffer_new(REPLY_SIZE_MAX)};
    struct wire_request *request = NULL;
    struct wire_problem problem;
    enum status status = wire_request_parse(salon, body, &request, &problem);
    if (status == STATUS_INVALID)
        return refuse_unreadable(reply, &problem);
    if (status != STATUS_OK)
        return refuse(reply, REFUSAL_UNAVAILABLE);
    struct keyring *keyring = current_keyring(service);
    take_turn(&(struct turn){
        .service = service,
        .keyring = keyring,
        .request = request,
        .booking = wire_request_booking(request),
        .now = clock_seconds(service->config.clock),
        .body_size = body.size,
        .reply = reply,
    });
    keyring_release(keyring);
    wire_request_free(request);
}
