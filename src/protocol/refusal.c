#include "refusal.h"

static const struct refusal_row rows[REFUSAL_COUNT] = {
    [REFUSAL_ALONE] = {"answers and their requestState travel together", "alone", 400},
    [REFUSAL_NOT_VERIFIED] = {"requestState doesn't verify", "not_verified", 400},
    [REFUSAL_ANOTHER_REQUEST] = {"requestState belongs to another request", "another_request", 400},
    [REFUSAL_EXPIRED] = {"requestState has expired", "expired", 400},
    [REFUSAL_USED] = {"requestState was already used", "used", 400},
    [REFUSAL_NO_ANSWER] = {"no answer to the question asked", "no_answer", 400},
    [REFUSAL_NOT_AN_ANSWER] = {"the answer is not an accept, a decline or a cancel",
                               "not_an_answer", 400},
    [REFUSAL_NEVER_OFFERED] = {"was never offered", "never_offered", 400},
    [REFUSAL_KEY_REUSED] = {"this Idempotency-Key was used with another answer", "key_reused", 422},
    [REFUSAL_UNAVAILABLE] = {"the booking service is unavailable", "unavailable", 503},
    [REFUSAL_UNREADABLE] = {"the request can't be read", "unreadable", 400},
    [REFUSAL_FORBIDDEN] = {"this Host or Origin is not allowed here: see --mcp-allow-host and "
                           "--allow-origin",
                           "forbidden", 403},
    [REFUSAL_NOT_FOUND] = {"there is nothing at this path", "not_found", 404},
    [REFUSAL_METHOD] = {"this path doesn't take that method; see Allow", "method", 405},
    [REFUSAL_TOO_LARGE] = {"the body is over the limit", "too_large", 413},
    [REFUSAL_MEDIA_TYPE] = {"the body must be JSON: send Content-Type: application/json",
                            "media_type", 415},
};

const struct refusal_row *refusal_row(enum refusal refusal) {
    return &rows[refusal];
}
