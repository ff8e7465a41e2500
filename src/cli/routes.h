/* The handlers that join http and service: what the binary and the tests both serve. Private to
 * cli. */
#ifndef TANDEM_ROUTES_H
#define TANDEM_ROUTES_H

#include "http_server.h"
#include "service.h"

/* POST /salons/{salon}/book; `context` is the struct service. */
void route_book(void *context, const struct http_request *request, struct http_reply *reply);

#endif
