#include "round.h"

enum { REDIRECT_FIRST = 300, REDIRECT_LAST = 399 };

static enum reply_kind kind_of(enum transport_kind kind) {
    switch (kind) {
    case TRANSPORT_NONE:
        return REPLY_NONE;
    case TRANSPORT_CUT:
    case TRANSPORT_TOO_LONG:
    case TRANSPORT_STOPPED:
    case TRANSPORT_REFUSED:
        return REPLY_CUT;
    case TRANSPORT_WHOLE:
        break;
    }
    return REPLY_WHOLE;
}

static struct bytes location_of(const struct transport *transport, unsigned status) {
    return status >= REDIRECT_FIRST && status <= REDIRECT_LAST
               ? transport_reply_header(transport, "location").value
               : BYTES("");
}

enum status round_carry(struct transport *transport, const struct round_request *request,
                        struct round_result *result) {
    const struct transport_header headers[] = {
        {BYTES("Content-Type"), BYTES("application/json")},
        {BYTES("Accept"), BYTES("application/json")},
        {BYTES("Idempotency-Key"), request->key}, /* last: it may be left out */
    };
    const struct transport_request post = {
        .method = TRANSPORT_POST,
        .target = request->path,
        .headers = headers,
        .header_count = sizeof headers / sizeof headers[0] - (request->key.size == 0 ? 1 : 0),
        .body = request->body,
    };
    struct transport_result sent;
    enum status status = transport_send(transport, &post, &sent);
    if (status != STATUS_OK)
        return status;
    *result = (struct round_result){
        .reply =
            {
                .kind = kind_of(sent.kind),
                .request_sent = sent.request_sent,
                .is_json = transport_reply_is(transport, BYTES("application/json")),
                .status = sent.status,
                .location = location_of(transport, sent.status),
                .body = sent.body,
            },
        .is_interrupted = sent.is_interrupted,
        .detail = sent.kind == TRANSPORT_NONE ? sent.detail : NULL,
    };
    return STATUS_OK;
}
