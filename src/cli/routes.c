#include "routes.h"

/* What came of a booking request, for log lines and metrics. */
static const char *outcome_label(enum outcome_kind outcome) {
    switch (outcome) {
    case OUTCOME_ASK:
        return "asked";
    case OUTCOME_NOTHING_OPEN:
        return "nothing_open";
    case OUTCOME_BOOKED:
        return "booked";
    case OUTCOME_NOT_CHOSEN:
        break;
    }
    return "not_chosen";
}

void route_book(void *context, const struct http_request *request, struct http_reply *reply) {
    struct service_reply booked;
    service_book(context, request->parameter, request->body, &booked);
    reply->body = booked.body;
    if (booked.kind == REPLY_REFUSAL) {
        reply->status = refusal_row(booked.refusal)->status;
        reply->refusal = booked.refusal;
    } else {
        reply->note = outcome_label(booked.outcome);
    }
}
