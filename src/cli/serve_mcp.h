/* The route /mcp: the glue between http and mcp. Private to cli. */
#ifndef TANDEM_SERVE_MCP_H
#define TANDEM_SERVE_MCP_H

#include "http_server.h"
#include "mcp.h"

/* Both are borrowed for as long as the route is served. */
struct http_route mcp_route(const struct mcp_server *server, const struct http_hosts *hosts);

/* The names by which this machine reaches itself, which are always allowed. */
enum { LOOPBACK_NAME_COUNT = 3 };
extern const char *const loopback_names[LOOPBACK_NAME_COUNT];

#endif
