/* JSON text of the booking route to the protocol's types and back (protocol.md, sections 2 and 3).
 * It decides nothing and checks shape and limits only; what a request means is service's. */
#ifndef TANDEM_WIRE_H
#define TANDEM_WIRE_H

#include "booking.h"
#include "buffer.h"

#include <stdint.h>

/* What is wrong with a request and where, as a text for the client. */
struct wire_problem {
    char text[160]; /* NUL-terminated; never quotes the request */
};

/* A request that was read. It owns what the booking, the responses and the state borrow. */
struct wire_request;

/* Reads a body. STATUS_OK and a request, released with wire_request_free; STATUS_INVALID and a
 * problem; STATUS_NO_MEMORY. `salon` is borrowed for as long as the request lives. A request may
 * be read in one thread at a time. */
enum status wire_request_parse(struct bytes salon, struct bytes body, struct wire_request **out,
                               struct wire_problem *problem);
void wire_request_free(struct wire_request *request);

const struct booking *wire_request_booking(const struct wire_request *request);

/* The state, or NULL when none came. */
const struct bytes *wire_request_state(const struct wire_request *request);

/* True when inputResponses came, whatever they are. */
bool wire_request_has_responses(const struct wire_request *request);

/* True when an answer to the question `time` came that isn't null, whatever it is. */
bool wire_request_has_answer(const struct wire_request *request);

/* Reads the answer to the question `time` out of inputResponses. False and a problem when it names
 * a time that is over the limit. */
bool wire_request_response(const struct wire_request *request, struct response *response,
                           struct wire_problem *problem);

/* Checks a salon's size; false and a problem. Its text is UTF-8 already. */
bool wire_salon_check(struct bytes salon, struct wire_problem *problem);

/* Says that round two of a booking would not fit `limit` bytes. */
void wire_problem_round_two_size(struct wire_problem *problem, size_t limit);

/* What a request state says (protocol.md, section 3). */
enum { CLAIMS_NONCE_SIZE = 16, CLAIMS_DIGEST_SIZE = 32 };

/* Writes the payload. `nonce` (CLAIMS_NONCE_SIZE bytes) may be NULL: the claim is left out. */
void wire_claims_write(struct buffer *out, int64_t good_until, const unsigned char *nonce,
                       struct offer offered, const unsigned char digest[CLAIMS_DIGEST_SIZE]);

/* Claims that were read; they own the offered times. */
struct wire_claims {
    int64_t good_until; /* unix seconds */
    bool has_nonce;     /* a nonce of another form than ours counts as none */
    unsigned char nonce[CLAIMS_NONCE_SIZE];
    struct bytes digest; /* as the text in the claim, not decoded */
    struct offer offered;
    void *owned;
};

/* Reads a payload; wire_claims_done releases. STATUS_INVALID when these aren't claims. */
enum status wire_claims_parse(struct bytes payload, struct wire_claims *claims);
void wire_claims_done(struct wire_claims *claims);

/* What replies are made of: a question's inputRequests, and the structuredContent of what
 * completes.
 */
void wire_input_requests_write(struct buffer *out, struct offer offered);
void wire_booked_content_write(struct buffer *out, struct bytes time);
void wire_not_booked_content_write(struct buffer *out, const char *say);
void wire_taken_content_write(struct buffer *out, struct bytes time);

/* Replies of the booking route, whole. */
void wire_question_write(struct buffer *out, struct offer offered, struct bytes state);
void wire_booked_write(struct buffer *out, struct bytes time);
void wire_not_booked_write(struct buffer *out, const char *say);
void wire_taken_write(struct buffer *out, struct bytes time);

/* The digest's input: the JSON array of salon, message and slots. */
void wire_digest_input_write(struct buffer *out, const struct booking *booking);

/* True when round two's body surely fits `limit` bytes after a round one of `body_size` bytes that
 * offered these times with this state: the same body, the longest answer and the state, written by
 * the most wasteful of JSON writers. */
bool wire_round_two_fits(size_t body_size, struct offer offered, struct bytes state, size_t limit);

#endif
