/* A reply on its way out: as a response of the library, or, where the library can't answer yet,
 * straight onto the socket. Private to http. */
#ifndef TANDEM_REPLY_H
#define TANDEM_REPLY_H

#include "http_server.h"

#include <microhttpd.h>

/* What a reply carries beside its body. */
struct reply_head {
    const char *request_id;
    const char *allow;  /* the methods that the path takes, with 405 and a preflight, or NULL */
    const char *origin; /* the page's origin when it is allowed, or NULL */
    bool has_origins;   /* some origin is allowed, so replies differ by it */
    bool is_preflight;
    bool closes; /* the connection ends after this reply */
};

extern const char CONTENT_TYPE_JSON[];

/* Queues a reply; its body becomes the library's. MHD_NO when that can't be done. */
enum MHD_Result reply_queue(struct MHD_Connection *connection, struct http_reply *reply,
                            const struct reply_head *head);

/* Writes a reply to the socket now and ends the connection's sending side, so that nothing follows
 * it. The library has no way to answer before a body's end and still read what the client is
 * sending, and a client whose bytes are left unread loses the reply. Best effort: a reply is small
 * and the socket's buffer empty, and if it doesn't fit, the client sees a closed connection. */
void reply_write_now(int socket, const struct http_reply *reply, const struct reply_head *head,
                     bool without_body);

#endif
