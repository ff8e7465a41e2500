/* A request state's text, and its payload as if the MAC had been right. */
#include "requeststate.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct keyring *keyring;

static void verify(struct bytes text) {
    static const struct bytes slots[] = {{(const unsigned char *)"sat-10:30", 9}};
    const struct booking booking = {BYTES("elm-street"), BYTES("a trim"), slots, 1};
    struct verified_state state;
    if (requeststate_verify(keyring, 1791018000, &booking, text, &state) == VERDICT_GOOD)
        abort();
}

static void parse(struct bytes payload) {
    struct wire_claims claims;
    if (wire_claims_parse(payload, &claims) != STATUS_OK)
        return;
    for (size_t i = 0; i < claims.offered.count; i++)
        if (!bytes_are_utf8(claims.offered.times[i]))
            abort();
    wire_claims_done(&claims);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct bytes key = BYTES("a key for fuzzing, 32 bytes long");
    if (keyring == NULL && keyring_new(&key, 1, &keyring) != STATUS_OK)
        abort();
    verify((struct bytes){data, size});
    parse((struct bytes){data, size});
    return 0;
}
