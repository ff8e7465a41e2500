/* The booking protocol's types and its one decision (protocol.md, section 1). Pure: nothing here
 * reads a clock, allocates, or keeps anything. */
#ifndef TANDEM_BOOKING_H
#define TANDEM_BOOKING_H

#include "bytes.h"
#include "protocol_limits.h"
#include "refusal.h"

/* What a customer asked for, within protocol_limits.h. All texts are UTF-8 without NUL, and
 * borrowed. */
struct booking {
    struct bytes salon;
    struct bytes message;
    const struct bytes *slots; /* still open, in the app's order */
    size_t slot_count;
};

/* Times offered to the customer. Borrowed: slots of a booking, or texts that a state carries. */
struct offer {
    const struct bytes *times;
    size_t count;
};

/* An inputResponses.time as it came, before it means anything. */
enum response_kind {
    RESPONSE_MISSING,   /* no answer to our question: inputResponses isn't an object, or no time */
    RESPONSE_MALFORMED, /* neither an accept with a string, nor a decline, nor a cancel */
    RESPONSE_ACCEPT,
    RESPONSE_DECLINE,
    RESPONSE_CANCEL,
};

struct response {
    enum response_kind kind;
    struct bytes time; /* with RESPONSE_ACCEPT */
};

/* One of the times that a verified state carries. Only answer_parse hands these out, so whoever
 * holds one holds a time that was offered. */
struct offered_time;

enum answer_action { ANSWER_ACCEPT, ANSWER_DECLINE, ANSWER_CANCEL };

struct answer {
    enum answer_action action;
    const struct offered_time *time; /* with ANSWER_ACCEPT; lives as long as the offer's times */
};

/* The text of an offered time. */
struct bytes offered_time_text(const struct offered_time *time);

/* Reads a response against what was offered. True and `answer` on success; false and `refusal`
 * otherwise, the other untouched. */
bool answer_parse(const struct response *response, struct offer offered, struct answer *answer,
                  enum refusal *refusal);

/* Which slots to offer: the first TIMES_ASKED_MAX distinct ones, into `times`. The one place where
 * a cleverer choice would go. */
struct offer slots_to_offer(const struct booking *booking, struct bytes times[TIMES_ASKED_MAX]);

enum outcome_kind {
    OUTCOME_ASK,          /* ask the customer which of the offered times suits */
    OUTCOME_NOTHING_OPEN, /* complete, not booked: the salon calls back */
    OUTCOME_BOOKED,       /* complete, booked at `time` */
    OUTCOME_NOT_CHOSEN,   /* complete, not booked: declined or cancelled */
    OUTCOME_TAKEN,        /* complete, not booked: the ledger found the slot taken; never of step */
    OUTCOME_REPLAYED,     /* the reply that the state got before, again; never of step */
    OUTCOME_COUNT,
};

struct outcome {
    enum outcome_kind kind;
    const struct offered_time *time; /* with OUTCOME_BOOKED */
};

/* The decision: exactly one outcome for a booking and its answer (NULL in round one). */
struct outcome step(const struct booking *booking, const struct answer *answer);

/* An outcome's snake_case name in metrics and logs, and the round (1 or 2) that it comes in. */
const char *outcome_label(enum outcome_kind kind);
unsigned outcome_round(enum outcome_kind kind);

/* The texts a customer reads. */
extern const char QUESTION_TEXT[];
extern const char SAY_NOTHING_OPEN[];
extern const char SAY_NOT_CHOSEN[];
extern const char SAY_BOOKED_SUFFIX[]; /* after the time */
extern const char SAY_TAKEN_SUFFIX[];  /* after the time */

#endif
