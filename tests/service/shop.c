#include "shop.h"

#include "json_text.h"

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char OUR_MARK[MARK_SIZE] = "our-mark";
const unsigned char OTHER_MARK[MARK_SIZE] = "restarts";

const struct shop_plan USUAL_PLAN = {
    .key = ROW_BYTES(KEY_TEXT),
    .mark = OUR_MARK,
    .capacity = 100,
    .body_size_max = BODY_SIZE_DEFAULT,
};

static int64_t counted_system_time(void *context) {
    struct shop *shop = context;
    atomic_fetch_add(&shop->clock_readings, 1);
    return shop->time.system;
}

static int64_t shop_monotonic_time(void *context) {
    return ((const struct shop *)context)->time.monotonic;
}

/* The mark, then a number that goes up. */
static enum status draw_scripted_nonce(void *context, unsigned char nonce[NONCE_SIZE],
                                       bool *has_nonce) {
    struct shop *shop = context;
    *has_nonce = shop->mark != NULL;
    if (shop->mark == NULL || shop->nonce_status != STATUS_OK)
        return shop->nonce_status;
    uint64_t number = atomic_fetch_add(&shop->nonces, 1);
    memcpy(nonce, shop->mark, MARK_SIZE);
    memcpy(nonce + MARK_SIZE, &number, sizeof number);
    return STATUS_OK;
}

static void keep_fact(void *context, const struct settled *settled) {
    *(enum ledger_fact *)context = settled->fact;
}

static void tell(ledger_done *done, void *context, enum ledger_fact fact) {
    done(context, &(struct settled){.fact = fact});
}

static void watched_settle(struct ledger *ledger, const struct settlement *settlement,
                           ledger_done *done, void *context) {
    struct watched_ledger *watched = (struct watched_ledger *)ledger;
    atomic_fetch_add(&watched->settled, 1);
    enum ledger_fact fact = watched->fact;
    if (!watched->fakes)
        ledger_settle(watched->memory, settlement, keep_fact, &fact);
    if (fact == LEDGER_RECORDED)
        atomic_fetch_add(&watched->recorded, 1);
    if (!watched->waits)
        return tell(done, context, fact);
    watched->waiting = (struct waiting_settlement){done, context, fact};
    atomic_fetch_add(&watched->kept, 1);
}

void shop_ledger_answers(struct shop *shop) {
    struct waiting_settlement waiting = shop->ledger.waiting;
    atomic_fetch_sub(&shop->ledger.kept, 1);
    tell(waiting.done, waiting.context, waiting.fact);
}

static enum status watched_find_taken(struct ledger *ledger, struct bytes salon,
                                      const struct bytes *slots, size_t count, bool *taken) {
    const struct watched_ledger *watched = (struct watched_ledger *)ledger;
    (void)salon;
    if (watched->read_status != STATUS_OK)
        return watched->read_status;
    for (size_t i = 0; i < count; i++)
        taken[i] = bytes_equal(slots[i], watched->taken_slot);
    return STATUS_OK;
}

static bool watched_is_ready(struct ledger *ledger, int64_t now) {
    return ledger_is_ready(((struct watched_ledger *)ledger)->memory, now);
}

static size_t watched_used_states(struct ledger *ledger) {
    return ledger_used_states(((struct watched_ledger *)ledger)->memory);
}

static void watched_free(struct ledger *ledger) {
    ledger_free(((struct watched_ledger *)ledger)->memory);
}

static const struct ledger_operations WATCHED_OPERATIONS = {.settle = watched_settle,
                                                            .find_taken = watched_find_taken,
                                                            .is_ready = watched_is_ready,
                                                            .used_states = watched_used_states,
                                                            .free = watched_free};

struct keyring *new_keyring(struct bytes key) {
    struct keyring *keyring = NULL;
    assert_int_equal(keyring_new(&key, key.size == 0 ? 0 : 1, &keyring), STATUS_OK);
    return keyring;
}

static struct service *new_service(struct shop *shop, struct keyring *keyring,
                                   size_t body_size_max) {
    struct service_config config = {
        .clock = shop->clock,
        .ledger = &shop->ledger.ledger,
        .nonces = {draw_scripted_nonce, shop},
        .valid_for = VALID_FOR_DEFAULT,
        .body_size_max = body_size_max,
    };
    struct service *service = NULL;
    assert_int_equal(service_new(&config, keyring, &service), STATUS_OK);
    return service;
}

struct service *shop_new_service(struct shop *shop, struct bytes key) {
    struct keyring *keyring = new_keyring(key);
    struct service *service = new_service(shop, keyring, BODY_SIZE_DEFAULT);
    keyring_release(keyring);
    return service;
}

static void open_shop(struct shop *shop, const struct shop_plan *plan) {
    struct clock_source source = {counted_system_time, shop_monotonic_time, shop};
    assert_int_equal(clock_new(source, &shop->clock), STATUS_OK);
    shop->mark = plan->mark;
    shop->ledger.ledger.operations = &WATCHED_OPERATIONS;
    assert_int_equal(ledger_memory_new(plan->capacity, plan->mark, &shop->ledger.memory),
                     STATUS_OK);
    shop->keyring = new_keyring(plan->key);
    shop->service = new_service(shop, shop->keyring, plan->body_size_max);
}

static void close_shop(struct shop *shop) {
    service_free(shop->service);
    keyring_release(shop->keyring);
    ledger_free(&shop->ledger.ledger);
    clock_free(shop->clock);
}

void shop_reopen(struct shop *shop, const struct shop_plan *plan) {
    close_shop(shop);
    open_shop(shop, plan);
}

int shop_set_up(void **state) {
    struct shop *shop = calloc(1, sizeof *shop);
    if (shop == NULL)
        return -1;
    shop->time.system = INT64_C(1791018000) * SECOND;
    shop->state = buffer_new(STATE_SIZE_MAX);
    open_shop(shop, &USUAL_PLAN);
    *state = shop;
    return 0;
}

int shop_tear_down(void **state) {
    struct shop *shop = *state;
    close_shop(shop);
    buffer_done(&shop->state);
    free(shop);
    return 0;
}

void shop_pass_seconds(struct shop *shop, int64_t seconds) {
    scripted_time_pass(&shop->time, seconds * SECOND);
}

unsigned shop_recorded(struct shop *shop) {
    return atomic_load(&shop->ledger.recorded);
}

struct buffer app_body(const struct app_request *request) {
    struct buffer body = buffer_new(4 * BODY_SIZE_DEFAULT);
    buffer_append_text(&body, "{\"arguments\":");
    buffer_append_text(&body, request->arguments);
    if (request->responses != NULL) {
        buffer_append_text(&body, ",\"inputResponses\":");
        buffer_append_text(&body, request->responses);
    }
    if (request->state.data != NULL) {
        buffer_append_text(&body, ",\"requestState\":");
        json_write_string(&body, request->state);
    }
    buffer_append_byte(&body, '}');
    assert_int_equal(body.status, STATUS_OK);
    return body;
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

void book_and_wait(struct service *service, struct bytes salon, struct bytes body,
                   struct service_reply *reply) {
    struct waiter waiter = {.reply = reply};
    pthread_mutex_init(&waiter.lock, NULL);
    pthread_cond_init(&waiter.done, NULL);
    service_book_later(service, salon, body, NULL, wake, &waiter);
    pthread_mutex_lock(&waiter.lock);
    while (!waiter.is_done)
        pthread_cond_wait(&waiter.done, &waiter.lock);
    pthread_mutex_unlock(&waiter.lock);
    pthread_cond_destroy(&waiter.done);
    pthread_mutex_destroy(&waiter.lock);
}

static struct service_reply send(struct shop *shop, const struct app_request *request) {
    struct buffer body = app_body(request);
    const char *salon = request->salon == NULL ? "elm-street" : request->salon;
    struct service_reply reply;
    book_and_wait(shop->service, bytes_of_text(salon), buffer_bytes(&body), &reply);
    buffer_done(&body);
    return reply;
}

/* The text of a refusal as the client gets it: read with another JSON reader than the server's
 * writer. */
static void expect_json_string(const char *row, struct bytes body, const char *text) {
    json_t *string = json_loadb((const char *)body.data, body.size, JSON_DECODE_ANY, NULL);
    if (!json_is_string(string))
        fail_msg("%s: the body is no JSON string: %.*s", row, (int)body.size,
                 (const char *)body.data);
    struct bytes got = {(const unsigned char *)json_string_value(string),
                        json_string_length(string)};
    assert_row_bytes(row, got, bytes_of_text(text));
    json_decref(string);
}

void expect_refused_as(struct shop *shop, const char *row, const struct app_request *request,
                       enum refusal refusal, const char *text) {
    unsigned before = shop_recorded(shop);
    struct service_reply reply = send(shop, request);
    if (reply.kind != REPLY_REFUSAL)
        fail_msg("%s: not refused: %.*s", row, (int)reply.body.size, (const char *)reply.body.data);
    expect_json_string(row, buffer_bytes(&reply.body), text);
    assert_row_number(row, reply.refusal, refusal);
    assert_row_number(row, shop_recorded(shop), before);
    buffer_done(&reply.body);
}

void expect_refused(struct shop *shop, const char *row, const struct app_request *request,
                    enum refusal refusal) {
    expect_refused_as(shop, row, request, refusal, refusal_row(refusal)->reason);
}

void expect_reply(struct shop *shop, const char *row, const struct app_request *request,
                  enum outcome_kind outcome, const char *body) {
    struct service_reply reply = send(shop, request);
    assert_row_bytes(row, buffer_bytes(&reply.body), bytes_of_text(body));
    assert_row_number(row, reply.kind, REPLY_RESULT);
    assert_row_number(row, reply.outcome, outcome);
    assert_row_number(row, reply.round, outcome_round(outcome));
    buffer_done(&reply.body);
}

void expect_booked(struct shop *shop, const char *row, const struct app_request *request,
                   const char *time) {
    char body[1024];
    snprintf(body, sizeof body,
             "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"%s is yours.\","
             "\"slot\":\"%s\",\"status\":\"booked\"}}",
             time, time);
    unsigned before = shop_recorded(shop);
    expect_reply(shop, row, request, OUTCOME_BOOKED, body);
    assert_row_number(row, shop_recorded(shop), before + 1);
}

void expect_not_chosen(struct shop *shop, const char *row, const struct app_request *request) {
    expect_reply(shop, row, request, OUTCOME_NOT_CHOSEN,
                 "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"No time was "
                 "chosen, so nothing is booked.\",\"status\":\"not_booked\"}}");
}

void read_state(const char *row, struct bytes question, struct buffer *state) {
    json_t *root = json_loadb((const char *)question.data, question.size, 0, NULL);
    const json_t *text = json_object_get(root, "requestState");
    if (!json_is_string(text))
        fail_msg("%s: no state in %.*s", row, (int)question.size, (const char *)question.data);
    state->size = 0;
    buffer_append_text(state, json_string_value(text));
    json_decref(root);
}

struct bytes shop_ask(struct shop *shop, const char *row, const char *arguments) {
    struct service_reply reply = send(shop, &(struct app_request){.arguments = arguments});
    read_state(row, buffer_bytes(&reply.body), &shop->state);
    assert_row_number(row, reply.kind, REPLY_RESULT);
    assert_row_number(row, reply.outcome, OUTCOME_ASK);
    assert_row_number(row, reply.round, 1);
    buffer_done(&reply.body);
    return buffer_bytes(&shop->state);
}
