/* Every way a request is refused, in one table: its text, its status, its name in metrics and
 * logs. A refusal is never a result, and nothing about it reads as a booking (protocol.md,
 * section 4). */
#ifndef TANDEM_REFUSAL_H
#define TANDEM_REFUSAL_H

#include <stddef.h>

enum refusal {
    /* Of the booking itself; the reasons are protocol.md's, to the letter. */
    REFUSAL_ALONE,
    REFUSAL_NOT_VERIFIED,
    REFUSAL_ANOTHER_REQUEST,
    REFUSAL_EXPIRED,
    REFUSAL_USED,
    REFUSAL_NO_ANSWER,
    REFUSAL_NOT_AN_ANSWER,
    REFUSAL_NEVER_OFFERED, /* the reason follows the time that was named and a space */
    REFUSAL_KEY_REUSED,    /* of an Idempotency-Key */
    REFUSAL_UNAVAILABLE,
    /* Of the request that carries it. */
    REFUSAL_UNREADABLE, /* the text says what is wrong and where; the row's is a stand-in */
    REFUSAL_FORBIDDEN,
    REFUSAL_NOT_FOUND,
    REFUSAL_METHOD,
    REFUSAL_TOO_LARGE,
    REFUSAL_MEDIA_TYPE,
    REFUSAL_COUNT,
    REFUSAL_NONE = REFUSAL_COUNT,
};

struct refusal_row {
    const char *reason; /* UTF-8 text, said to the client */
    const char *label;  /* snake_case name in metrics and logs */
    unsigned status;    /* HTTP status code */
};

/* The row of a refusal; static storage. */
const struct refusal_row *refusal_row(enum refusal refusal);

/* What a 503 tells the client to wait before it tries again, in seconds. */
#define RETRY_AFTER_TEXT "5"

#endif
