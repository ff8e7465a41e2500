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

/* A reply of several texts, sent as one JSON string. */
static void refuse_with(struct service_reply *reply, enum refusal refusal,
                        const struct bytes *texts, size_t count) {
    reply->kind = REPLY_REFUSAL;
    reply->refusal = refusal;
    buffer_append_byte(&reply->body, '"');
    for (size_t i = 0; i < count; i++)
        json_write_characters(&reply->body, texts[i]);
    buffer_append_byte(&reply->body, '"');
}

static void refuse(struct service_reply *reply, enum refusal refusal) {
    const struct bytes reason = bytes_of_text(refusal_row(refusal)->reason);
    refuse_with(reply, refusal, &reason, 1);
}

static void refuse_unreadable(struct service_reply *reply, const struct wire_problem *problem) {
    const struct bytes text = bytes_of_text(problem->text);
    refuse_with(reply, REFUSAL_UNREADABLE, &text, 1);
}

static void refuse_answer(struct service_reply *reply, enum refusal refusal, struct bytes time) {
    if (refusal != REFUSAL_NEVER_OFFERED)
        return refuse(reply, refusal);
    const struct bytes texts[] = {time, BYTES(" "), bytes_of_text(refusal_row(refusal)->reason)};
    refuse_with(reply, refusal, texts, sizeof texts / sizeof texts[0]);
}

/* A request on its way through the checks, until its reply is handed over. */
struct turn {
    struct service *service;
    struct keyring *keyring;      /* retained */
    struct wire_request *request; /* owned */
    const struct booking *booking;
    int64_t now; /* the one reading of the clock that serves the whole request */
    size_t body_size;
    struct verified_state state; /* in round two, once it verified */
    struct settlement settlement;
    struct outcome outcome; /* what stands when it is settled */
    struct service_reply reply;
    service_done *done;
    void *context;
};

/* The end of every turn. */
static void hand_over(struct turn *turn) {
    turn->done(turn->context, &turn->reply);
    verified_state_done(&turn->state);
    wire_request_free(turn->request);
    keyring_release(turn->keyring);
    free(turn);
}

static void end_with_refusal(struct turn *turn, enum refusal refusal) {
    refuse(&turn->reply, refusal);
    hand_over(turn);
}

static void write_question(struct turn *turn, struct offer offered, struct bytes state) {
    size_t limit = turn->service->config.body_size_max;
    if (!wire_round_two_fits(turn->body_size, offered, state, limit)) {
        struct wire_problem problem;
        wire_problem_round_two_size(&problem, limit);
        return refuse_unreadable(&turn->reply, &problem);
    }
    wire_question_write(&turn->reply.body, offered, state);
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

static void ask(struct turn *turn) {
    struct bytes times[TIMES_ASKED_MAX];
    struct offer offered = slots_to_offer(turn->booking, times);
    struct buffer state = buffer_new(STATE_SIZE_MAX);
    if (issue(turn, offered, &state) == STATUS_OK)
        write_question(turn, offered, buffer_bytes(&state));
    else
        refuse(&turn->reply, REFUSAL_UNAVAILABLE);
    buffer_done(&state);
}

static void round_one(struct turn *turn) {
    turn->reply.round = 1;
    turn->reply.outcome = step(turn->booking, NULL).kind;
    if (turn->reply.outcome == OUTCOME_ASK)
        ask(turn);
    else
        wire_not_booked_write(&turn->reply.body, SAY_NOTHING_OPEN);
    hand_over(turn);
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

static void complete(struct turn *turn) {
    turn->reply.outcome = turn->outcome.kind;
    if (turn->outcome.kind == OUTCOME_BOOKED)
        wire_booked_write(&turn->reply.body, offered_time_text(turn->outcome.time));
    else
        wire_not_booked_write(&turn->reply.body, SAY_NOT_CHOSEN);
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

static void settled(void *context, enum ledger_fact fact) {
    struct turn *turn = context;
    enum refusal refusal;
    if (outcome_stands(fact, &refusal))
        return hand_over(turn);
    buffer_clear(&turn->reply.body);
    end_with_refusal(turn, refusal);
}

static void settle(struct turn *turn, const struct answer *answer) {
    turn->outcome = step(turn->booking, answer);
    /* The reply is written first: once the state is spent, nothing may go wrong any more. */
    complete(turn);
    if (turn->reply.body.status != STATUS_OK)
        return hand_over(turn);
    turn->settlement = (struct settlement){
        .mac = turn->state.mac,
        .nonce = turn->state.claims.has_nonce ? turn->state.claims.nonce : NULL,
        .good_until = turn->state.claims.good_until,
        .now = turn->now,
    };
    ledger_settle(turn->service->config.ledger, &turn->settlement, settled, turn);
}

static void round_two(struct turn *turn) {
    turn->reply.round = 2;
    enum verdict verdict = requeststate_verify(turn->keyring, turn->now, turn->booking,
                                               *wire_request_state(turn->request), &turn->state);
    if (verdict != VERDICT_GOOD)
        return end_with_refusal(turn, refusal_of_verdict(verdict));
    struct wire_problem problem;
    struct response response;
    struct answer answer;
    enum refusal refusal;
    if (!wire_request_response(turn->request, &response, &problem))
        refuse_unreadable(&turn->reply, &problem);
    else if (!answer_parse(&response, turn->state.claims.offered, &answer, &refusal))
        refuse_answer(&turn->reply, refusal, response.time);
    else
        return settle(turn, &answer);
    hand_over(turn);
}

static void take_turn(struct turn *turn) {
    bool has_state = wire_request_state(turn->request) != NULL;
    if (keyring_size(turn->keyring) == 0)
        end_with_refusal(turn, REFUSAL_UNAVAILABLE);
    else if (has_state != wire_request_has_responses(turn->request))
        end_with_refusal(turn, REFUSAL_ALONE);
    else if (has_state)
        round_two(turn);
    else
        round_one(turn);
}

static struct service_reply empty_reply(void) {
    return (struct service_reply){.kind = REPLY_RESULT, .body = buffer_new(REPLY_SIZE_MAX)};
}

/* For a request that never got a turn. */
static void refuse_at_once(enum status status, const struct wire_problem *problem,
                           service_done *done, void *context) {
    struct service_reply reply = empty_reply();
    if (status == STATUS_INVALID)
        refuse_unreadable(&reply, problem);
    else
        refuse(&reply, REFUSAL_UNAVAILABLE);
    done(context, &reply);
}

void service_book_later(struct service *service, struct bytes salon, struct bytes body,
                        service_done *done, void *context) {
    struct wire_request *request = NULL;
    struct wire_problem problem;
    enum status status = wire_request_parse(salon, body, &request, &problem);
    struct turn *turn = status == STATUS_OK ? calloc(1, sizeof *turn) : NULL;
    if (turn == NULL) {
        wire_request_free(request);
        return refuse_at_once(status, &problem, done, context);
    }
    turn->service = service;
    turn->keyring = current_keyring(service);
    turn->request = request;
    turn->booking = wire_request_booking(request);
    turn->now = clock_seconds(service->config.clock);
    turn->body_size = body.size;
    turn->reply = empty_reply();
    turn->done = done;
    turn->context = context;
    take_turn(turn);
}

/* Somebody who waits for a reply. */
struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool is_done;
    struct service_reply *reply;
};

static void wake(void *context, struct service_reply *reply) {
    struct waiter *waiter = context;
    pthread_mutex_lock(&waiter->lock);
    *waiter->reply = *reply;
    waiter->is_done = true;
    pthread_cond_signal(&waiter->done);
    pthread_mutex_unlock(&waiter->lock);
}

void service_book(struct service *service, struct bytes salon, struct bytes body,
                  struct service_reply *reply) {
    struct waiter waiter = {.reply = reply};
    pthread_mutex_init(&waiter.lock, NULL);
    pthread_cond_init(&waiter.done, NULL);
    service_book_later(service, salon, body, wake, &waiter);
    pthread_mutex_lock(&waiter.lock);
    while (!waiter.is_done)
        pthread_cond_wait(&waiter.done, &waiter.lock);
    pthread_mutex_unlock(&waiter.lock);
    pthread_cond_destroy(&waiter.done);
    pthread_mutex_destroy(&waiter.lock);
}
