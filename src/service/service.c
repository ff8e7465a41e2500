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

/* A request on its way through the checks, until its reply is handed over. */
struct turn {
    struct service *service;
    struct keyring *keyring;      /* retained */
    struct wire_request *request; /* owned */
    const struct booking *booking;
    int64_t now; /* the one reading of the clock that serves the whole request */
    size_t body_size;
    struct verified_state state; /* in round two, once it verified */
    enum service_asking asking;
    const struct bytes *time; /* chosen beforehand, or NULL */
    bool has_key;
    struct idempotency idempotency;
    struct buffer taken; /* what is to be kept if the slot is taken */
    struct settlement settlement;
    struct bytes slot;
    struct service_reply reply; /* what stands unless the ledger says otherwise */
    service_write *write;
    void *write_context;
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

/* Makes this the reply, whatever it was before. */
static void put(struct turn *turn, const struct service_result *result) {
    struct service_result whole = *result;
    whole.round = turn->reply.round;
    turn->reply.kind = result->kind;
    turn->reply.outcome = result->outcome;
    turn->reply.refusal = result->refusal;
    buffer_clear(&turn->reply.body);
    turn->write(turn->write_context, &whole, &turn->reply.body);
}

/* A refusal whose text has several parts. */
static void refuse_with(struct turn *turn, enum refusal refusal, const struct bytes *texts,
                        size_t count) {
    put(turn,
        &(struct service_result){
            .kind = REPLY_REFUSAL, .refusal = refusal, .reasons = texts, .reason_count = count});
}

static void refuse(struct turn *turn, enum refusal refusal) {
    const struct bytes reason = bytes_of_text(refusal_row(refusal)->reason);
    refuse_with(turn, refusal, &reason, 1);
}

static void refuse_unreadable(struct turn *turn, const struct wire_problem *problem) {
    const struct bytes text = bytes_of_text(problem->text);
    refuse_with(turn, REFUSAL_UNREADABLE, &text, 1);
}

static void refuse_answer(struct turn *turn, enum refusal refusal, struct bytes time) {
    if (refusal != REFUSAL_NEVER_OFFERED)
        return refuse(turn, refusal);
    const struct bytes texts[] = {time, BYTES(" "), bytes_of_text(refusal_row(refusal)->reason)};
    refuse_with(turn, refusal, texts, sizeof texts / sizeof texts[0]);
}

static void end_with_refusal(struct turn *turn, enum refusal refusal) {
    refuse(turn, refusal);
    hand_over(turn);
}

static void put_question(struct turn *turn, struct offer offered, struct bytes state) {
    size_t limit = turn->service->config.body_size_max;
    if (!wire_round_two_fits(turn->body_size, offered, state, limit)) {
        struct wire_problem problem;
        wire_problem_round_two_size(&problem, limit);
        return refuse_unreadable(turn, &problem);
    }
    put(turn, &(struct service_result){.outcome = OUTCOME_ASK, .offered = offered, .state = state});
}

static void put_times(struct turn *turn, struct offer offered) {
    put(turn, &(struct service_result){.outcome = OUTCOME_ASK, .offered = offered});
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

static void settle(struct turn *turn, const struct answer *answer);

/* Settles a time that was chosen beforehand through a state like any other's. False when it isn't
 * offered, or can't be settled; then the reply is there. */
static bool settle_chosen(struct turn *turn, struct offer offered, struct bytes state) {
    const struct response response = {RESPONSE_ACCEPT, *turn->time};
    struct answer answer;
    enum refusal refusal;
    if (requeststate_verify(turn->keyring, turn->now, turn->booking, state, &turn->state) !=
        VERDICT_GOOD) {
        refuse(turn, REFUSAL_UNAVAILABLE);
        return false;
    }
    if (!answer_parse(&response, turn->state.claims.offered, &answer, &refusal)) {
        put_times(turn, offered);
        return false;
    }
    turn->reply.round = 2;
    settle(turn, &answer);
    return true;
}

/* Asks for one of the slots of `open`; the state is of the whole booking. True when the turn goes
 * on without its caller. */
static bool ask(struct turn *turn, const struct booking *open) {
    struct bytes times[TIMES_ASKED_MAX];
    struct offer offered = slots_to_offer(open, times);
    if (turn->asking == ASK_NOBODY && turn->time == NULL) {
        put_times(turn, offered);
        return false;
    }
    bool goes_on = false;
    struct buffer state = buffer_new(STATE_SIZE_MAX);
    if (issue(turn, offered, &state) != STATUS_OK)
        refuse(turn, REFUSAL_UNAVAILABLE);
    else if (turn->asking == ASK_NOBODY)
        goes_on = settle_chosen(turn, offered, buffer_bytes(&state));
    else
        put_question(turn, offered, buffer_bytes(&state));
    buffer_done(&state);
    return goes_on;
}

static void round_one(struct turn *turn) {
    struct booking open = *turn->booking;
    const struct bytes *all = open.slots;
    bool goes_on = false;
    if (open.slot_count > 0 && ledger_has_exclusive_slots(turn->service->config.ledger))
        leave_out_taken(turn, &open);
    turn->reply.round = 1;
    enum outcome_kind outcome = step(&open, NULL).kind;
    if (outcome == OUTCOME_ASK)
        goes_on = ask(turn, &open);
    else
        put(turn, &(struct service_result){.outcome = outcome});
    if (open.slots != all)
        free((void *)(uintptr_t)open.slots);
    if (!goes_on)
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

/* The ledger's word on a reply that was made before it was asked. */
static void settled(void *context, const struct settled *settled) {
    struct turn *turn = context;
    struct resolution resolution = resolve(settled->fact);
    switch (resolution.kind) {
    case RESOLVED_AS_DECIDED:
        break;
    case RESOLVED_TAKEN:
        put(turn, &(struct service_result){.outcome = OUTCOME_TAKEN, .slot = turn->slot});
        break;
    case RESOLVED_REPLAY:
        buffer_clear(&turn->reply.body);
        turn->reply.kind = REPLY_RESULT;
        turn->reply.outcome = OUTCOME_REPLAYED;
        buffer_append(&turn->reply.body, settled->reply);
        break;
    case RESOLVED_REFUSAL:
        refuse(turn, resolution.refusal);
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

static void put_outcome(struct turn *turn, const struct outcome *outcome) {
    if (outcome->kind == OUTCOME_BOOKED) {
        turn->slot = offered_time_text(outcome->time);
        turn->settlement.slot = &turn->slot;
    }
    put(turn, &(struct service_result){.outcome = outcome->kind, .slot = turn->slot});
    const struct service_result taken = {.round = 2, .outcome = OUTCOME_TAKEN, .slot = turn->slot};
    if (turn->has_key && outcome->kind == OUTCOME_BOOKED)
        turn->write(turn->write_context, &taken, &turn->taken);
}

/* Nothing is spent for a reply that can't be made. */
static void settle(struct turn *turn, const struct answer *answer) {
    struct outcome outcome = step(turn->booking, answer);
    put_outcome(turn, &outcome);
    if (turn->reply.body.status == STATUS_OK && turn->taken.status == STATUS_OK)
        return ask_ledger(turn);
    end_with_refusal(turn, REFUSAL_UNAVAILABLE);
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
        refuse(turn, REFUSAL_EXPIRED);
    else if (!is_readable)
        refuse_unreadable(turn, &problem);
    else if (!answer_parse(&response, turn->state.claims.offered, &answer, &refusal))
        refuse_answer(turn, refusal, response.time);
    else
        return settle(turn, &answer);
    refuse_unless_kept(turn);
}

/* The question comes again with a state of its own; this one isn't spent by that. */
static void ask_anew(struct turn *turn) {
    turn->body_size -= wire_request_state(turn->request)->size;
    verified_state_done(&turn->state);
    turn->state = (struct verified_state){0};
    round_one(turn);
}

static void round_two(struct turn *turn) {
    turn->reply.round = 2;
    enum verdict verdict = requeststate_verify(turn->keyring, turn->now, turn->booking,
                                               *wire_request_state(turn->request), &turn->state);
    if (verdict == VERDICT_GOOD && turn->asking != ASK_ONCE &&
        !wire_request_has_answer(turn->request))
        ask_anew(turn);
    else if (verdict == VERDICT_GOOD || verdict == VERDICT_EXPIRED)
        answer(turn, verdict == VERDICT_EXPIRED);
    else
        end_with_refusal(turn, refusal_of_verdict(verdict));
}

static void take_turn(struct turn *turn) {
    bool has_state = wire_request_state(turn->request) != NULL;
    if (keyring_size(turn->keyring) == 0)
        end_with_refusal(turn, REFUSAL_UNAVAILABLE);
    else if (turn->asking == ASK_ONCE && has_state != wire_request_has_responses(turn->request))
        end_with_refusal(turn, REFUSAL_ALONE);
    else if (has_state)
        round_two(turn);
    else
        round_one(turn);
}

static struct service_reply empty_reply(void) {
    return (struct service_reply){.kind = REPLY_RESULT, .body = buffer_new(REPLY_SIZE_MAX)};
}

/* For a request that never got a turn. `problem` is read with STATUS_INVALID only. */
static void refuse_at_once(enum status status, const struct wire_problem *problem,
                           const struct service_call *call) {
    struct service_reply reply = empty_reply();
    reply.kind = REPLY_REFUSAL;
    reply.refusal = status == STATUS_INVALID ? REFUSAL_UNREADABLE : REFUSAL_UNAVAILABLE;
    const struct bytes reason = bytes_of_text(
        status == STATUS_INVALID ? problem->text : refusal_row(reply.refusal)->reason);
    const struct service_result result = {
        .kind = REPLY_REFUSAL, .refusal = reply.refusal, .reasons = &reason, .reason_count = 1};
    call->write(call->write_context, &result, &reply.body);
    call->done(call->context, &reply);
}

/* False when the header is no key, or can't be digested; then the reply is there. */
static bool read_key(struct turn *turn, const struct bytes *header) {
    struct bytes key;
    if (header == NULL)
        return true;
    if (!idempotency_key_parse(*header, &key)) {
        refuse_unreadable(turn, &(struct wire_problem){"Idempotency-Key is not readable"});
        return false;
    }
    turn->has_key = keyring_digest(turn->keyring, key, turn->idempotency.key) == STATUS_OK;
    if (!turn->has_key)
        refuse(turn, REFUSAL_UNAVAILABLE);
    return turn->has_key;
}

static void begin_turn(struct turn *turn, struct service *service,
                       const struct service_call *call) {
    turn->service = service;
    turn->keyring = current_keyring(service);
    turn->request = call->request;
    turn->booking = wire_request_booking(call->request);
    turn->now = clock_seconds(service->config.clock);
    turn->body_size = call->body_size;
    turn->reply = empty_reply();
    turn->taken = buffer_new(REPLY_SIZE_MAX);
    turn->asking = call->asking;
    turn->time = call->time;
    turn->write = call->write;
    turn->write_context = call->write_context;
    turn->done = call->done;
    turn->context = call->context;
}

void service_call_later(struct service *service, const struct service_call *call) {
    struct turn *turn = calloc(1, sizeof *turn);
    if (turn == NULL) {
        wire_request_free(call->request);
        return refuse_at_once(STATUS_NO_MEMORY, NULL, call);
    }
    begin_turn(turn, service, call);
    if (read_key(turn, call->key))
        take_turn(turn);
    else
        hand_over(turn);
}

void service_write_json(void *context, const struct service_result *result, struct buffer *out) {
    (void)context;
    if (result->kind == REPLY_REFUSAL) {
        buffer_append_byte(out, '"');
        for (size_t i = 0; i < result->reason_count; i++)
            json_write_characters(out, result->reasons[i]);
        return buffer_append_byte(out, '"');
    }
    switch (result->outcome) {
    case OUTCOME_ASK:
        return wire_question_write(out, result->offered, result->state);
    case OUTCOME_NOTHING_OPEN:
        return wire_not_booked_write(out, SAY_NOTHING_OPEN);
    case OUTCOME_BOOKED:
        return wire_booked_write(out, result->slot);
    case OUTCOME_TAKEN:
        return wire_taken_write(out, result->slot);
    case OUTCOME_NOT_CHOSEN:
    case OUTCOME_REPLAYED:
    case OUTCOME_COUNT:
        break;
    }
    wire_not_booked_write(out, SAY_NOT_CHOSEN);
}

void service_book_later(struct service *service, struct bytes salon, struct bytes body,
                        const struct bytes *idempotency_key, service_done *done, void *context) {
    struct wire_problem problem = {""};
    struct service_call call = {.body_size = body.size,
                                .key = idempotency_key,
                                .asking = ASK_ONCE,
                                .write = service_write_json,
                                .done = done,
                                .context = context};
    enum status status = wire_request_parse(salon, body, &call.request, &problem);
    if (status == STATUS_OK)
        service_call_later(service, &call);
    else
        refuse_at_once(status, &problem, &call);
}
