/* A request's headers as far as the server reads them, gathered one at a time. Pure. */
#ifndef TANDEM_HEADERS_H
#define TANDEM_HEADERS_H

#include "framing.h"

struct request_headers {
    struct framing framing;
    struct bytes request_id; /* the last X-Request-Id */
    struct bytes host;       /* the last Host */
    struct bytes origin;     /* the last Origin */
    unsigned origins;        /* how many there are */
    bool asks_for_method;    /* an Access-Control-Request-Method is there */
};

void request_headers_add(struct request_headers *headers, struct bytes name, struct bytes value);

/* True for an X-Request-Id that is kept: 1 to REQUEST_ID_SIZE_MAX letters, digits, `.`, `_`, `-`.
 */
bool request_id_is_safe(struct bytes id);

#endif
