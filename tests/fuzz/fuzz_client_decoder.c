/* Any body as a reply, in both rounds: the decoder never crashes, and what it gives is whole. */
#include "decoder.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition)
        abort();
}

static void check(enum round round, bool is_json, struct bytes body) {
    struct decoded decoded;
    if (decoder_read(round, is_json, body, &decoded) != STATUS_OK)
        return;
    switch (decoded.kind) {
    case DECODED_QUESTION:
        require(is_json && round == ROUND_ONE && decoded.question.time_count > 0);
        require(bytes_are_utf8(decoded.question.message) && bytes_are_utf8(decoded.question.state));
        for (size_t i = 0; i < decoded.question.time_count; i++)
            require(bytes_are_utf8(decoded.question.times[i]));
        require(decoded.problem.size == 0);
        break;
    case DECODED_COMPLETION:
        require(is_json && bytes_are_utf8(decoded.completion.say));
        require(bytes_are_utf8(decoded.completion.slot));
        require(decoded.completion.is_booked || decoded.completion.slot.size == 0);
        require(decoded.problem.size == 0);
        break;
    case DECODED_ASKED_AGAIN:
    case DECODED_MALFORMED:
    case DECODED_UNREADABLE:
        require(decoded.problem.size > 0 && bytes_are_utf8(buffer_bytes(&decoded.problem)));
        break;
    }
    decoded_done(&decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes body = {data, size};
    check(ROUND_ONE, true, body);
    check(ROUND_TWO, true, body);
    check(ROUND_ONE, false, body);
    return 0;
}
