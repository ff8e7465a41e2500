#include "booking.h"

const char QUESTION_TEXT[] = "Which time suits you?";
const char SAY_NOTHING_OPEN[] = "Nothing is open then, so the salon will call you.";
const char SAY_NOT_CHOSEN[] = "No time was chosen, so nothing is booked.";
const char SAY_BOOKED_SUFFIX[] = " is yours.";
const char SAY_TAKEN_SUFFIX[] = " was taken meanwhile. Pick another time?";

static bool is_among(struct bytes text, const struct bytes *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bytes_equal(texts[i], text))
            return true;
    return false;
}

struct offer slots_to_offer(const struct booking *booking, struct bytes times[TIMES_ASKED_MAX]) {
    size_t count = 0;
    for (size_t i = 0; i < booking->slot_count && count < TIMES_ASKED_MAX; i++)
        if (!is_among(booking->slots[i], times, count))
            times[count++] = booking->slots[i];
    return (struct offer){times, count};
}

static struct outcome step_with_answer(const struct answer *answer) {
    switch (answer->action) {
    case ANSWER_ACCEPT:
        return (struct outcome){OUTCOME_BOOKED, answer->time};
    case ANSWER_DECLINE:
    case ANSWER_CANCEL:
        break;
    }
    return (struct outcome){.kind = OUTCOME_NOT_CHOSEN};
}

struct outcome step(const struct booking *booking, const struct answer *answer) {
    if (answer != NULL)
        return step_with_answer(answer);
    return (struct outcome){.kind = booking->slot_count == 0 ? OUTCOME_NOTHING_OPEN : OUTCOME_ASK};
}

const char *outcome_label(enum outcome_kind kind) {
    switch (kind) {
    case OUTCOME_ASK:
        return "asked";
    case OUTCOME_NOTHING_OPEN:
        return "nothing_open";
    case OUTCOME_BOOKED:
        return "booked";
    case OUTCOME_TAKEN:
        return "taken";
    case OUTCOME_REPLAYED:
        return "replayed";
    case OUTCOME_NOT_CHOSEN:
    case OUTCOME_COUNT:
        break;
    }
    return "not_chosen";
}

unsigned outcome_round(enum outcome_kind kind) {
    return kind == OUTCOME_ASK || kind == OUTCOME_NOTHING_OPEN ? 1 : 2;
}
