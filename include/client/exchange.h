/* What goes out and what comes back in one round: the values that conversation (which does no I/O)
 * and whoever carries them hand each other. */
#ifndef TANDEM_EXCHANGE_H
#define TANDEM_EXCHANGE_H

#include "bytes.h"

/* A POST to be made. Its texts are borrowed from the conversation until its next event. */
struct round_request {
    struct bytes path; /* percent-encoded: ASCII, begins with a slash */
    struct bytes body; /* JSON */
    struct bytes key;  /* the value of Idempotency-Key; empty: none is sent */
};

enum reply_kind {
    REPLY_NONE,  /* no reply, or one that ended inside its headers */
    REPLY_CUT,   /* a status and all headers, but not the whole body; or a body over the ceiling */
    REPLY_WHOLE, /* as far as its framing tells */
};

/* What became of one POST. With REPLY_NONE only `request_sent` means anything. */
struct round_reply {
    enum reply_kind kind;
    bool request_sent; /* a byte of the request may have reached the server */
    bool is_json;      /* labelled application/json, whatever its parameters */
    unsigned status;
    struct bytes location; /* where a 3xx points, or empty; not even UTF-8 is certain */
    struct bytes body;     /* of a 2xx; empty with all others */
};

#endif
