/* What the service's scenarios stand on: a service with a scripted clock, scripted nonces and a
 * watched ledger, and the app that sends it requests. */
#ifndef TANDEM_TEST_SHOP_H
#define TANDEM_TEST_SHOP_H

#include "fixtures.h"

#include "service.h"

#include <stdatomic.h>

#define KEY_TEXT "0123456789abcdef0123456789abcdef"
#define OTHER_KEY_TEXT "fedcba9876543210fedcba9876543210"

/* The arguments of most scenarios: round one offers both times. */
#define TRIM "{\"message\":\"a trim please\",\"openSlots\":[\"sat-10:30\",\"sat-11:30\"]}"

#define ACCEPT(time) "{\"time\":{\"action\":\"accept\",\"content\":{\"time\":\"" time "\"}}}"
#define DECLINE "{\"time\":{\"action\":\"decline\"}}"
#define CANCEL "{\"time\":{\"action\":\"cancel\"}}"

enum { SECOND = 1000000 }; /* in microseconds, as the clock's times are */

/* How a shop is opened. */
struct shop_plan {
    struct bytes key;          /* empty for none */
    const unsigned char *mark; /* of this process; NULL takes any state, and gives none a nonce */
    size_t capacity;           /* of the memory of used states */
    size_t body_size_max;
};

extern const struct shop_plan USUAL_PLAN;
extern const unsigned char OTHER_MARK[MARK_SIZE];

/* A settlement that was made and not told yet. */
struct waiting_settlement {
    ledger_done *done;
    void *context;
    enum ledger_fact fact;
};

/* A memory ledger that is watched, or a fake that always answers the same. */
struct watched_ledger {
    struct ledger ledger; /* first: the interface's pointer is ours */
    struct ledger *memory;
    bool fakes;
    enum ledger_fact fact;
    bool waits; /* the fact is told by shop_ledger_answers */
    struct waiting_settlement waiting;
    atomic_uint kept;        /* facts that wait */
    struct bytes taken_slot; /* with exclusive slots; at every salon */
    enum status read_status; /* what finding it gives */
    atomic_uint settled;
    atomic_uint recorded;
};

struct shop {
    struct scripted_time time;
    atomic_uint clock_readings;
    struct clock *clock;
    const unsigned char *mark;
    atomic_uint nonces;
    enum status nonce_status; /* what drawing one gives */
    struct watched_ledger ledger;
    struct keyring *keyring;
    struct service *service;
    struct buffer state; /* the one that shop_ask got last */
};

/* cmocka's set-up and tear-down: an open shop of the usual plan at 2026-10-03 09:00:00 UTC. */
int shop_set_up(void **state);
int shop_tear_down(void **state);
#define SHOP_TEST(function) cmocka_unit_test_setup_teardown(function, shop_set_up, shop_tear_down)

/* Closes the shop and opens it anew, as a restart does: nothing but the time is kept. */
void shop_reopen(struct shop *shop, const struct shop_plan *plan);

/* Another service on the shop's clock, ledger and nonces; released by the caller. */
struct service *shop_new_service(struct shop *shop, struct bytes key);
struct keyring *new_keyring(struct bytes key);

void shop_pass_seconds(struct shop *shop, int64_t seconds);

/* Tells the fact that a waiting ledger has kept. */
void shop_ledger_answers(struct shop *shop);

/* How many conversations were completed. */
unsigned shop_recorded(struct shop *shop);

/* A request; what is NULL, or no bytes, isn't sent. */
struct app_request {
    const char *salon; /* NULL for elm-street */
    const char *arguments;
    const char *responses;
    struct bytes state;
};

struct buffer app_body(const struct app_request *request);

/* Books, and waits for the reply, whose body is the caller's. */
void book_and_wait(struct service *service, struct bytes salon, struct bytes body,
                   struct service_reply *reply);

/* Each sends a request and fails the test, naming the row, unless the reply is this one. */
void expect_reply(struct shop *shop, const char *row, const struct app_request *request,
                  enum outcome_kind outcome, const char *body);
void expect_booked(struct shop *shop, const char *row, const struct app_request *request,
                   const char *time);
void expect_not_chosen(struct shop *shop, const char *row, const struct app_request *request);
void expect_refused(struct shop *shop, const char *row, const struct app_request *request,
                    enum refusal refusal);
void expect_refused_as(struct shop *shop, const char *row, const struct app_request *request,
                       enum refusal refusal, const char *text);

/* Round one, which must ask; its state is in the shop then. */
struct bytes shop_ask(struct shop *shop, const char *row, const char *arguments);

/* Reads the state out of a question, into a buffer that is emptied first. */
void read_state(const char *row, struct bytes question, struct buffer *state);

#endif
