/* What the server serves: the routes, and the glue between http and service. It is apart from
 * serve.c so that tests serve the same routes around a service of their own. Private to cli. */
#ifndef TANDEM_ROUTES_H
#define TANDEM_ROUTES_H

#include "http_server.h"
#include "service.h"

enum { ROUTE_COUNT = 4 };

/* Fills in every route but /mcp, which serve_mcp.h has. `service` is borrowed for as long as the
 * routes are served. */
void routes_init(struct http_route routes[ROUTE_COUNT], struct service *service);

/* Appends the reasons in service_not_ready's bits, for an operator: "no key, draining". */
void readiness_write(unsigned not_ready, struct buffer *out);

/* The committed OpenAPI document, built in. */
extern const unsigned char openapi_document[];
extern const size_t openapi_document_size;

#endif
