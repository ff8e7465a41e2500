/* One JSON-RPC message from a server, checked before anybody looks at what it says: a JSON object
 * with `jsonrpc` "2.0" that is a result, an error, a request or a notification, and nothing in
 * between. Pure. Private to mcpclient. */
#ifndef TANDEM_RPC_MESSAGE_H
#define TANDEM_RPC_MESSAGE_H

#include "mcp_json.h"

#include <stdint.h>

enum rpc_kind {
    RPC_RESULT,
    RPC_ERROR,
    RPC_REQUEST,
    RPC_NOTIFICATION,
    RPC_BROKEN, /* none of these */
};

/* The values are borrowed from the document. */
struct rpc_message {
    enum rpc_kind kind;
    struct json_tree document;
    const json_t *id;     /* of a result or a request; of an error it may be NULL: it has none */
    const json_t *result; /* an object */
    int64_t code;         /* of an error */
    struct bytes text;
    const json_t *data;   /* of an error; may be NULL */
    struct bytes method;  /* of a request or a notification */
    const json_t *params; /* may be NULL */
    const char *problem;  /* why it is broken: static storage, quotes nothing */
};

/* STATUS_OK and a message, released with rpc_message_done; or STATUS_NO_MEMORY. */
enum status rpc_message_read(struct bytes text, struct rpc_message *out);
void rpc_message_done(struct rpc_message *message);

/* True when the id is this integer: neither "1" nor 1.0 is 1. */
bool rpc_id_is(const json_t *id, int64_t expected);

/* Appends an id for people: its JSON, cut after 64 characters; "none" for NULL. */
void rpc_id_show(struct buffer *out, const json_t *id);

#endif
