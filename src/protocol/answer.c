#include "booking.h"
#include "check.h"

/* An offered time is one of the offer's texts under a type that only this file gives out. */
static const struct offered_time *offered_time_at(struct offer offered, struct bytes text) {
    for (size_t i = 0; i < offered.count; i++)
        if (bytes_equal(offered.times[i], text))
            return (const struct offered_time *)&offered.times[i];
    return NULL;
}

struct bytes offered_time_text(const struct offered_time *time) {
    return *(const struct bytes *)time;
}

static bool refuse(enum refusal why, enum refusal *refusal) {
    *refusal = why;
    return false;
}

static bool accept_parse(struct bytes text, struct offer offered, struct answer *answer,
                         enum refusal *refusal) {
    const struct offered_time *time = offered_time_at(offered, text);
    if (!check(CHECK_ANSWER_OFFERED, time != NULL))
        return refuse(REFUSAL_NEVER_OFFERED, refusal);
    *answer = (struct answer){ANSWER_ACCEPT, time};
    return true;
}

bool answer_parse(const struct response *response, struct offer offered, struct answer *answer,
                  enum refusal *refusal) {
    if (!check(CHECK_ANSWER_PRESENT, response->kind != RESPONSE_MISSING))
        return refuse(REFUSAL_NO_ANSWER, refusal);
    if (!check(CHECK_ANSWER_SHAPE, response->kind != RESPONSE_MALFORMED))
        return refuse(REFUSAL_NOT_AN_ANSWER, refusal);
    if (response->kind == RESPONSE_ACCEPT)
        return accept_parse(response->time, offered, answer, refusal);
    *answer = (struct answer){.action = response->kind == RESPONSE_DECLINE ? ANSWER_DECLINE
                                                                           : ANSWER_CANCEL};
    return true;
}
