/* The client's strict reading of a reply (protocol.md, section 5): every field that it uses, or
 * nothing. A second reading of the contract, which shares no code with the server's writer. Pure.
 * It must not know of sockets, of terminals, or of what the client does next. */
#ifndef TANDEM_DECODER_H
#define TANDEM_DECODER_H

#include "buffer.h"
#include "bytes.h"

/* The deepest nesting that is read (the root is 1), and how much of an unknown value a problem
 * names, in bytes. */
enum { REPLY_DEPTH_MAX = 64, SHOWN_VALUE_SIZE_MAX = 1024 };

enum round { ROUND_NONE, ROUND_ONE, ROUND_TWO };

/* Which time? All texts are UTF-8 without NUL. */
struct question {
    struct bytes message;
    const struct bytes *times; /* at least one */
    size_t time_count;
    struct bytes state; /* opaque: sent back exactly as it came */
};

/* The end of a conversation. */
struct completion {
    bool is_booked;
    struct bytes slot; /* of a booking; empty otherwise */
    struct bytes say;  /* to be shown, never read for a time */
};

enum decoded_kind {
    DECODED_QUESTION,
    DECODED_COMPLETION,
    DECODED_ASKED_AGAIN, /* a question, however malformed, in round two: so nothing is booked */
    DECODED_MALFORMED,   /* not a reply of this protocol, and what it meant nobody can say */
    DECODED_UNREADABLE,  /* not JSON, or JSON that two readers could read differently */
};

/* A reply, read. The texts live until decoded_done. */
struct decoded {
    enum decoded_kind kind;
    struct question question;     /* with DECODED_QUESTION */
    struct completion completion; /* with DECODED_COMPLETION */
    struct buffer problem;        /* with the others: section 5's text, without a prefix */
    const struct json_t *root;    /* what the texts are borrowed from, with its memory; or NULL */
    struct json_chunk *chunks;
    struct bytes *times; /* the question's, owned */
};

/* Reads the body of a 2xx reply to `round`. `is_json`: it is labelled JSON; a body that isn't
 * counts as a reply without a resultType and is not looked at. STATUS_OK and `out`, which the
 * caller releases with decoded_done; or STATUS_NO_MEMORY. Any thread. */
enum status decoder_read(enum round round, bool is_json, struct bytes body, struct decoded *out);

/* Releases what it holds; harmless on one that is all zero. */
void decoded_done(struct decoded *decoded);

#endif
