/* A body to the booking route, at a service whose key nobody else has: whatever comes, the reply is
 * whole, and nothing is ever booked. */
#include "service.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct service *service;

static int64_t fixed_time(void *context) {
    (void)context;
    return 1791018000000000;
}

static enum status no_nonce(void *context, unsigned char nonce[NONCE_SIZE], bool *has_nonce) {
    (void)context;
    (void)nonce;
    *has_nonce = false;
    return STATUS_OK;
}

static void set_up(void) {
    const struct clock_source source = {fixed_time, fixed_time, NULL};
    const struct bytes key = BYTES("a key for fuzzing, 32 bytes long");
    struct service_config config = {
        .nonces = {no_nonce, NULL}, .valid_for = 120, .body_size_max = BODY_SIZE_DEFAULT};
    struct keyring *keyring = NULL;
    if (keyring_new(&key, 1, &keyring) != STATUS_OK ||
        clock_new(source, &config.clock) != STATUS_OK ||
        ledger_memory_new(16, NULL, &config.ledger) != STATUS_OK ||
        service_new(&config, keyring, &service) != STATUS_OK)
        abort();
    keyring_release(keyring);
}

static void take_reply(void *context, struct service_reply *reply) {
    *(struct service_reply *)context = *reply;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (service == NULL)
        set_up();
    struct service_reply reply;
    /* The memory ledger tells at once, and so does the service. */
    service_book_later(service, BYTES("elm-street"), (struct bytes){data, size}, NULL, take_reply,
                       &reply);
    if (reply.body.status != STATUS_OK || reply.body.size < 2)
        abort();
    if (reply.kind == REPLY_RESULT && reply.outcome == OUTCOME_BOOKED)
        abort();
    buffer_done(&reply.body);
    return 0;
}
