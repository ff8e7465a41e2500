#include "service.h"

#include "idempotency_key.h"
#include "json_text.h"
#include "resolve.h"
#include "wire.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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
    bool has_key;
    struct idempotency idempotency;
    struct buffer taken; /* what is to be kept if the slot is taken */
    struct settlement settlement;
    struct bytes slot;
    struct service_reply reply; /* what stands unless the ledger says otherwise */
    service_done *done;
    void *context;
};

/* The end of every turn. */
static void hand_over(struct turn *turn) {
    turn->done(turn->context, &turn->reply);
    buffer_done(&turn->taken);
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

/* Asks for one of the slots of `open`; the state is of the whole booking. */
static void ask(struct turn *turn, const struct booking *open) {
    struct bytes times[TIMES_ASKED_MAX];
    struct offer offered = slots_to_offer(open, times);
    struct buffer state = buffer_new(STATE_SIZE_MAX);
    if (issue(turn, offered, &state) == STATUS_OK)
        write_question(turn, offered, buffer_bytes(&state));
    else
        refuse(&turn->reply, REFUSAL_UNAVAILABLE);
    buffer_done(&state);
}

/* Leaves the taken slots out of `open`, a copy of the booking that owns its list of slots. When it
 * can't be told which are taken, none is left out: round two will tell. */
static void leave_out_taken(struct turn *turn, struct booking *open) {
    struct bytes *slots = malloc(open->slot_count * sizeof *slots);
    bool *taken = malloc(open->slot_count * sizeof *taken);
    if (slots != NULL && taken != NULL &&
        ledger_find_taken(turn->service->config.ledger, open->salon, open->slots, open->slot_count,
                          taken) == STATUS_OK) {
        size_t count = 0;
        for (size_t i = 0; i < open->slot_count; i++)
            if (!taken[i])
                slots[count++] = open->slots[i];
        open->slots = slots;
        open->slot_count = count;
        slots = NULL;
    }
    free(taken);
    free(slots);
}

static void round_one(struct turn *turn) {
    struct booking open = *turn->booking;
    if (open.slot_count > 0 && ledger_has_exclusive_slots(turn->service->config.ledger))
        leave_out_taken(turn, &open);
    turn->reply.round = 1;
    turn->reply.outcome = step(&open, NULL).kind;
    if (turn->reply.outcome == OUTCOME_ASK)
        ask(turn, &open);
    else
        wire_not_booked_write(&turn->reply.body, SAY_NOTHING_OPEN);
    if (open.slots != turn->booking->slots)
        free((void *)(uintptr_t)open.slots);
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

static void clear_reply(struct turn *turn, enum reply_kind kind) {
    buffer_clear(&turn->reply.body);
    turn->reply.kind = kind;
}

/* The ledger's word on a reply that was made before it was asked. */
static void settled(void *context, const struct settled *settled) {
    struct turn *turn = context;
    struct resolution resolution = resolve(settled->fact);
    switch (resolution.kind) {
    case RESOLVED_AS_DECIDED:
        break;
    case RESOLVED_TAKEN:
        clear_reply(turn, REPLY_RESULT);
        turn->reply.outcome = OUTCOME_TAKEN;
        wire_taken_write(&turn->reply.body, turn->slot);
        break;
    case RESOLVED_REPLAY:
        clear_reply(turn, REPLY_RESULT);
        turn->reply.replayed = true;
        buffer_append(&turn->reply.body, settled->reply);
        break;
    case RESOLVED_REFUSAL:
        clear_reply(turn, REPLY_REFUSAL);
        refuse(&turn->reply, resolution.refusal);
        break;
    }
    hand_over(turn);
}

static void ask_ledger(struct turn *turn) {
    turn->settlement.mac = turn->state.mac;
    turn->settlement.nonce = turn->state.claims.has_nonce ? turn->state.claims.nonce : NULL;
    turn->settlement.good_until = turn->state.claims.good_until;
    turn->settlement.now = turn->now;
    turn->settlement.salon = turn->booking->salon;
    turn->settlement.words = turn->booking->message;
    if (turn->has_key) {
        turn->idempotency.reply = buffer_bytes(&turn->reply.body);
        turn->idempotency.reply_if_taken = buffer_bytes(&turn->taken);
        turn->settlement.idempotency = &turn->idempotency;
    }
    ledger_settle(turn->service->config.ledger, &turn->settlement, settled, turn);
}

static void write_outcome(struct turn *turn, const struct outcome *outcome) {
    turn->reply.outcome = outcome->kind;
    if (outcome->kind != OUTCOME_BOOKED)
        return wire_not_booked_write(&turn->reply.body, SAY_NOT_CHOSEN);
    turn->slot = offered_time_text(outcome->time);
    turn->settlement.slot = &turn->slot;
    wire_booked_write(&turn->reply.body, turn->slot);
    if (turn->has_key)
        wire_taken_write(&turn->taken, turn->slot);
}

/* Nothing is spent for a reply that can't be made. */
static void settle(struct turn *turn, const struct answer *answer) {
    struct outcome outcome = step(turn->booking, answer);
    write_outcome(turn, &outcome);
    if (turn->reply.body.status != STATUS_OK || turn->taken.status != STATUS_OK) {
        clear_reply(turn, REPLY_REFUSAL);
        return end_with_refusal(turn, REFUSAL_UNAVAILABLE);
    }
    ask_ledger(turn);
}

/* The end of a refused round two, whose reply is made, unless a reply is kept under its key. */
static void refuse_unless_kept(struct turn *turn) {
    turn->settlement.only_replay = true;
    if (turn->has_key)
        ask_ledger(turn);
    else
        hand_over(turn);
}

/* The digest of an answer, whatever its shape, so that another one is known as such. */
static enum status digest_response(struct turn *turn, const struct response *response) {
    unsigned char text[1 + SLOT_SIZE_MAX] = {(unsigned char)response->kind};
    size_t size = 0;
    if (response->kind == RESPONSE_ACCEPT)
        size = response->time.size;
    if (size > 0)
        memcpy(text + 1, response->time.data, size);
    return keyring_digest(turn->keyring, (struct bytes){text, 1 + size}, turn->idempotency.answer);
}

static void answer(struct turn *turn, bool has_expired) {
    struct wire_problem problem;
    struct response response = {.kind = RESPONSE_MALFORMED};
    struct answer answer;
    enum refusal refusal = REFUSAL_EXPIRED;
    bool is_readable = wire_request_response(turn->request, &response, &problem);
    if (turn->has_key && digest_response(turn, &response) != STATUS_OK)
        return end_with_refusal(turn, REFUSAL_UNAVAILABLE);
    if (has_expired)
        refuse(&turn->reply, REFUSAL_EXPIRED);
    else if (!is_readable)
        refuse_unreadable(&turn->reply, &problem);
    else if (!answer_parse(&response, turn->state.claims.offered, &answer, &refusal))
        refuse_answer(&turn->reply, refusal, response.time);
    else
        return settle(turn, &answer);
    refuse_unless_kept(turn);
}

static void round_two(struct turn *turn) {
    turn->reply.round = 2;
    enum verdict verdict = requeststate_verify(turn->keyring, turn->now, turn->booking,
                                               *wire_request_state(turn->request), &turn->state);
    if (verdict == VERDICT_GOOD || verdict == VERDICT_EXPIRED)
        answer(turn, verdict == VERDICT_EXPIRED);
    else
        end_with_refusal(turn, refusal_of_verdict(verdict));
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

static enum status read_key(struct turn *turn, const struct bytes *header,
                            struct wire_problem *problem) {
    struct bytes key;
    if (header == NULL)
        return STATUS_OK;
    if (!idempotency_key_parse(*header, &key)) {
        *problem = (struct wire_problem){"Idempotency-Key is not readable"};
        return STATUS_INVALID;
    }
    turn->has_key = true;
    return keyring_digest(turn->keyring, key, turn->idempotency.key);
}

static enum status begin_turn(struct turn *turn, struct bytes salon, struct bytes body,
                              const struct bytes *idempotency_key, struct wire_problem *problem) {
    turn->keyring = current_keyring(turn->service);
    turn->body_size = body.size;
    turn->reply = empty_reply();
    turn->taken = buffer_new(REPLY_SIZE_MAX);
    enum status status = read_key(turn, idempotency_key, problem);
    if (status == STATUS_OK)
        status = wire_request_parse(salon, body, &turn->request, problem);
    if (status != STATUS_OK)
        return status;
    turn->booking = wire_request_booking(turn->request);
    turn->now = clock_seconds(turn->service->config.clock);
    return STATUS_OK;
}

void service_book_with_key_later(struct service *service, struct bytes salon, struct bytes body,
                                 const struct bytes *idempotency_key, service_done *done,
                                 void *context) {
    struct wire_problem problem = {""};
    struct turn *turn = calloc(1, sizeof *turn);
    if (turn == NULL)
        return refuse_at_once(STATUS_NO_MEMORY, &problem, done, context);
    turn->service = service;
    turn->done = done;
    turn->context = context;
    enum status status = begin_turn(turn, salon, body, idempotency_key, &problem);
    if (status == STATUS_OK)
        return take_turn(turn);
    keyring_release(turn->keyring);
    free(turn);
    refuse_at_once(status, &problem, done, context);
}

void service_book_later(struct service *service, struct bytes salon, struct bytes body,
                        service_done *done, void *context) {
    service_book_with_key_later(service, salon, body, NULL, done, context);
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
