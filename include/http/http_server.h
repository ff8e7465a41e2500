/* The HTTP adapter over libmicrohttpd: connections, limits, framing, routes, replies. It knows
 * nothing of bookings; a handler that somebody else wired in gets a path parameter and a body, and
 * gives back a status and a text. */
#ifndef TANDEM_HTTP_SERVER_H
#define TANDEM_HTTP_SERVER_H

#include "buffer.h"
#include "refusal.h"

#include <stdint.h>
#include <sys/socket.h>

enum { REQUEST_ID_SIZE_MAX = 64, DROPPED_BODY_MAX = 262144, THREADS_MOST = 256 };

/* A request whose framing, path, method, type and size are right. All borrowed for the call. */
struct http_request {
    struct bytes parameter; /* the path's {…}, decoded: UTF-8, no NUL, not empty, no dot segment */
    struct bytes body;      /* empty for GET */
};

/* What a handler gives back. */
struct http_reply {
    unsigned status;
    const char *content_type; /* static storage */
    struct buffer body;       /* owned until the handler returns, then the server's; when it failed,
                                 the connection is closed without a reply */
};

/* Called from any worker thread, several at once. `reply` comes with an empty body, status 200 and
 * a JSON content type. */
typedef void http_handler(void *context, const struct http_request *request,
                          struct http_reply *reply);

struct http_route {
    const char *method; /* "GET" (HEAD is then answered too) or "POST" (then the body is JSON) */
    const char *path;   /* such as "/salons/{salon}/book"; at most one parameter */
    http_handler *handle;
    void *context;
};

struct http_config {
    int listener;                    /* from http_listen; the server closes it */
    const struct http_route *routes; /* borrowed for the server's life */
    size_t route_count;
    size_t body_size_max; /* bytes */
    unsigned threads;     /* 1 to THREADS_MOST */
    unsigned timeout;     /* seconds for a request to be complete */
    unsigned connections_max;
};

struct http_server;

/* A listening socket on `address` ("127.0.0.1:8080", "[::1]:8080", port 0 for a free one). On
 * success the socket and, in `url`, where it is reached. STATUS_INVALID for a text that is no
 * address, STATUS_IO with errno set when it can't be had. */
enum { HTTP_URL_SIZE = 80 };
enum status http_listen(const char *address, int *listener, char url[HTTP_URL_SIZE]);

/* True when http_listen would take the text for an address. */
bool http_address_is_valid(const char *address);

/* Starts to answer. STATUS_IO when threads or descriptors are short. On failure the listener is
 * closed too. */
enum status http_server_start(const struct http_config *config, struct http_server **out);

/* Stops in good order: no new connections; requests in flight are answered, later ones on open
 * connections get 503; then everything is closed. Waits for the configured timeout at most. */
void http_server_stop(struct http_server *server);

/* A refusal's reply: the row's status and `text`, or the row's reason when it is NULL, as a JSON
 * string. */
void http_reply_refuse(struct http_reply *reply, enum refusal refusal, const char *text);

#endif
