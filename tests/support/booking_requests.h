/* Bodies of booking requests, and what their replies say. Bodies are written by hand and not by a
 * JSON library, so that a test sends exactly the bytes that it shows. */
#ifndef TANDEM_TEST_BOOKING_REQUESTS_H
#define TANDEM_TEST_BOOKING_REQUESTS_H

#include "http_client.h"

/* The booking of most tests, as the value of `arguments`. */
#define A_BOOKING "{\"message\":\"a trim please\",\"openSlots\":[\"sat-10:30\",\"sat-11:30\"]}"

#define ACCEPT_TIME(time) "{\"action\":\"accept\",\"content\":{\"time\":\"" time "\"}}"
#define DECLINE "{\"action\":\"decline\"}"
#define CANCEL "{\"action\":\"cancel\"}"

/* {"arguments":…}; `arguments` is JSON text. */
struct bytes round_one(struct arena *arena, const char *arguments);

/* Round two with an answer to the question `time`, which is JSON text. `state` is not. */
struct bytes round_two(struct arena *arena, const char *arguments, const char *answer,
                       const char *state);

/* The same with the whole of inputResponses, as JSON text. */
struct bytes round_two_responses(struct arena *arena, const char *arguments, const char *responses,
                                 const char *state);

/* A text as a JSON string, quotes included. */
const char *json_quoted(struct arena *arena, const char *text);

/* The requestState of a reply that asks, or NULL. */
const char *state_of(struct arena *arena, const struct client_reply *reply);

/* The value of a reply's body when it is one JSON string, or NULL. */
const char *reason_of(struct arena *arena, const struct client_reply *reply);

/* The bodies of the replies that complete. */
const char *booked_body(struct arena *arena, const char *time);
extern const char NOT_CHOSEN_BODY[];
extern const char NOTHING_OPEN_BODY[];

#endif
