/* The request state (protocol.md, section 3): signed, single-use, short-lived. Issuing and
 * verifying are pure: the clock's reading and the nonce are arguments. Any thread. */
#ifndef TANDEM_REQUESTSTATE_H
#define TANDEM_REQUESTSTATE_H

#include "booking.h"
#include "buffer.h"
#include "keyring.h"
#include "wire.h"

#include <stdint.h>

enum { NONCE_SIZE = CLAIMS_NONCE_SIZE, MARK_SIZE = 8 }; /* a nonce begins with the mark */

/* Appends the state of a question to `out`: payload, dot, MAC. `nonce` has NONCE_SIZE bytes, or is
 * NULL for a state without that claim. STATUS_INVALID for a ring without keys. */
enum status requeststate_issue(const struct keyring *keyring, int64_t good_until,
                               const unsigned char *nonce, const struct booking *booking,
                               struct offer offered, struct buffer *out);

/* What a state that verified carries. */
struct verified_state {
    struct wire_claims claims; /* the offered times among them */
    unsigned char mac[MAC_SIZE];
};

enum verdict {
    VERDICT_GOOD,
    VERDICT_NOT_VERIFIED,
    VERDICT_ANOTHER_REQUEST,
    VERDICT_EXPIRED,
    VERDICT_FAILED, /* the program could not tell: no memory, no algorithm */
};

/* Every check that needs no memory, in protocol.md's order. With VERDICT_GOOD and VERDICT_EXPIRED
 * `state` is written, and released with verified_state_done; otherwise it is untouched. `now` in
 * unix seconds. */
enum verdict requeststate_verify(const struct keyring *keyring, int64_t now,
                                 const struct booking *booking, struct bytes text,
                                 struct verified_state *state);
void verified_state_done(struct verified_state *state);

#endif
