/* One JSON-RPC message, read strictly. Pure. Private to mcp. */
#ifndef TANDEM_RPC_H
#define TANDEM_RPC_H

#include "json_read.h"
#include "mcp.h"

/* What was read, also of a message that is refused. */
struct rpc_request {
    struct json_tree document;
    struct bytes id; /* as it stands in the message; empty when there is none, or none of use */
    bool is_notification;
    struct bytes method;
    const json_t *params; /* an object, or NULL for anything else */
};

struct rpc_problem {
    enum mcp_code code;
    char text[160]; /* NUL-terminated; never quotes the message */
};

/* STATUS_OK; STATUS_INVALID and a problem; STATUS_NO_MEMORY. In every case `request` is released
 * with rpc_request_done; it borrows from `message`. */
enum status rpc_request_parse(struct bytes message, struct rpc_request *request,
                              struct rpc_problem *problem);
void rpc_request_done(struct rpc_request *request);

#endif
