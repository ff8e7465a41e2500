/* Carries the requests of a conversation over HTTP: what a round is to transport, and what a reply
 * of transport is to a conversation. It must not know what the bodies mean. */
#ifndef TANDEM_ROUND_H
#define TANDEM_ROUND_H

#include "exchange.h"
#include "transport.h"

/* The ceiling for a reply's body in bytes: a question of the server is 64 KiB at the most. */
enum { ROUND_REPLY_SIZE_MAX = 262144 };

/* What became of one round. Its texts live until the transport's next request. */
struct round_result {
    struct round_reply reply;
    bool is_interrupted; /* then the reply is REPLY_NONE */
    const char *detail;  /* why there is no reply, or NULL; as transport's */
};

/* One attempt. Whatever the network did is a result, with STATUS_OK; STATUS_NO_MEMORY comes only
 * before anything is sent. One thread at a time. */
enum status round_carry(struct transport *transport, const struct round_request *request,
                        struct round_result *result);

#endif
