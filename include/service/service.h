/* One request in, one result or refusal out: the checks in protocol.md's order (section 4), the
 * decision, the settling. It knows nothing of sockets or of any store. */
#ifndef TANDEM_SERVICE_H
#define TANDEM_SERVICE_H

#include "booking.h"
#include "buffer.h"
#include "clock.h"
#include "keyring.h"
#include "ledger.h"
#include "wire.h"

/* Where the nonces of new states come from. Called from any thread. With STATUS_OK and false in
 * `has_nonce` the state is issued without one, as the reference's states are. */
struct nonce_source {
    enum status (*draw)(void *context, unsigned char nonce[NONCE_SIZE], bool *has_nonce);
    void *context;
};

struct service_config {
    struct clock *clock; /* borrowed for the service's life, as the ledger is */
    struct ledger *ledger;
    struct nonce_source nonces;
    int64_t valid_for;    /* seconds, VALID_FOR_LEAST to VALID_FOR_MOST */
    size_t body_size_max; /* bytes; a round one whose round two could be larger is refused */
};

struct service;

/* A service that signs with `keyring` (retained; a ring without keys makes every booking 503). */
enum status service_new(const struct service_config *config, struct keyring *keyring,
                        struct service **out);
void service_free(struct service *service);

/* Swaps the ring (retained) for requests that begin from now on; those under way keep theirs. Any
 * thread. */
void service_set_keyring(struct service *service, struct keyring *keyring);

/* From now on the service says that it isn't ready; it goes on to answer. Any thread. */
void service_drain(struct service *service);

/* Why the service isn't ready, as bits; 0 when it is. Any thread. */
enum { NOT_READY_NO_KEY = 1, NOT_READY_LEDGER = 2, NOT_READY_DRAINING = 4 };
unsigned service_not_ready(struct service *service);

enum reply_kind { REPLY_RESULT, REPLY_REFUSAL };

/* What goes back. */
struct service_reply {
    enum reply_kind kind;
    unsigned round;            /* 1 or 2; 0 when the request was refused before that was known */
    enum outcome_kind outcome; /* with REPLY_RESULT */
    enum refusal refusal;      /* with REPLY_REFUSAL */
    struct buffer body;        /* JSON text, owned; a failed buffer when memory ran out */
};

/* What came of a request, before it is written down. All borrowed for the call that writes it. */
struct service_result {
    enum reply_kind kind;
    unsigned round;              /* as in the reply */
    enum outcome_kind outcome;   /* with REPLY_RESULT; never OUTCOME_REPLAYED */
    struct offer offered;        /* with OUTCOME_ASK */
    struct bytes state;          /* with OUTCOME_ASK; empty when the customer can't be asked */
    struct bytes slot;           /* with OUTCOME_BOOKED and OUTCOME_TAKEN */
    enum refusal refusal;        /* with REPLY_REFUSAL */
    const struct bytes *reasons; /* with REPLY_REFUSAL: the parts of its text, UTF-8 */
    size_t reason_count;
};

/* Writes a result as its entrance has it. It is written before the ledger is asked, so that nothing
 * is spent for a reply that can't be made, and perhaps written anew then. */
typedef void service_write(void *context, const struct service_result *result, struct buffer *out);

/* The booking route's own way: the protocol's JSON. */
void service_write_json(void *context, const struct service_result *result, struct buffer *out);

/* Takes the reply, whose body it owns from then on. Called once, in any thread and perhaps before
 * the call returns that it belongs to. */
typedef void service_done(void *context, struct service_reply *reply);

/* What happens when a request has no answer to the question. */
enum service_asking {
    ASK_ONCE,   /* round one asks; a round two that doesn't answer is refused, as is half of one */
    ASK_AGAIN,  /* it is asked, and again with a fresh state if need be */
    ASK_NOBODY, /* the customer can't be asked through this client: it is told the offered times */
};

/* A booking request that was read already, by whatever entrance. */
struct service_call {
    struct wire_request *request; /* the service's from then on */
    size_t body_size;             /* of what it came in, in bytes */
    const struct bytes *key;      /* an Idempotency-Key as its header has it, or NULL */
    enum service_asking asking;
    const struct bytes
        *time; /* chosen beforehand, or NULL; with ASK_NOBODY and without a state: it
                  is issued, verified and settled at once, when the time is offered */
    service_write *write;
    void *write_context; /* borrowed until `done` is called */
    service_done *done;
    void *context;
};

/* Answers it. `call` is borrowed for the call only, what its pointers point at as its fields say.
 * Any thread. */
void service_call_later(struct service *service, const struct service_call *call);

/* Answers one booking request. `salon` is decoded, and not checked yet; it and `body` are borrowed
 * until `done` is called. With an Idempotency-Key as its header has it (borrowed for the call;
 * NULL: none) the same round two again gets the same reply again, once one with it has used its
 * state. Any thread. */
void service_book_later(struct service *service, struct bytes salon, struct bytes body,
                        const struct bytes *idempotency_key, service_done *done, void *context);

#endif
