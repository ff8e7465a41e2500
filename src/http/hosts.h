/* The Host and Origin of a request against the names that a route answers to. Pure. */
#ifndef TANDEM_HOSTS_H
#define TANDEM_HOSTS_H

#include "http_server.h"

/* True when an authority ("name", "name:port", "[::1]:port") is of one of the names. */
bool host_is_allowed(const struct http_hosts *hosts, struct bytes authority);

/* True when an origin, as browsers send it, is of one of the names over HTTP or HTTPS. */
bool origin_is_allowed(const struct http_hosts *hosts, struct bytes origin);

#endif
