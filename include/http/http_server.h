/* The HTTP adapter over libmicrohttpd: connections, limits, framing, routes, replies. It knows
 * nothing of bookings; a handler that somebody else wired in gets a path parameter and a body, and
 * gives back a status and a text. */
#ifndef TANDEM_HTTP_SERVER_H
#define TANDEM_HTTP_SERVER_H

#include "buffer.h"
#include "refusal.h"

#include <stdint.h>

enum {
    REQUEST_ID_SIZE_MAX = 64,
    DROPPED_BODY_MAX = 262144, /* bytes of a refused body that are read so the reply is, too */
    THREADS_MOST = 256,
    CONNECTIONS_MOST = 1000000,
    TIMEOUT_MOST = 3600, /* seconds */
    HTTP_URL_SIZE = 80,
};

/* A request whose framing, path, method, type and size are right. All borrowed for the call. */
struct http_request {
    struct bytes parameter; /* the path's {…}, decoded: UTF-8, no NUL, not empty, no dot segment */
    struct bytes body;      /* empty but for POST */
};

/* How often a header is given, and in `value` what it holds the last time, without the white space
 * around it; `value` is untouched when the header isn't there, and lives as long as the request.
 * For handlers only. The name's case doesn't count. */
size_t http_request_header(const struct http_request *request, const char *name,
                           struct bytes *value);

/* What a handler gives back. */
struct http_reply {
    unsigned status;
    const char *content_type; /* static storage; NULL for a reply without a body */
    enum refusal refusal;     /* why it was refused, or REFUSAL_NONE; for the observer */
    const char *note;         /* what came of it, or NULL; static storage, for the observer */
    const char *tool;         /* which tool was called, or NULL; static storage, for the observer */
    const char *header_name;  /* of one more header, or NULL; static storage, as its value */
    const char *header_value;
    struct buffer body; /* owned until the reply is done, then the server's; when it failed,
                           the connection is closed without a reply */
};

/* Called from any worker thread, several at once. `reply` comes with an empty body, status 200 and
 * a JSON content type. Either the handler fills it in and returns HTTP_NOW, or it returns
 * HTTP_LATER and the connection waits, in no thread: then request and reply live on until somebody
 * has filled the reply in and called http_reply_done, once, from any thread. That may be before the
 * handler returns, and must come even while the server stops. */
enum http_when { HTTP_NOW, HTTP_LATER };
typedef enum http_when http_handler(void *context, const struct http_request *request,
                                    struct http_reply *reply);
void http_reply_done(struct http_reply *reply);

/* Writes a refusal in a route's own way: as http_reply_refuse, which is the usual one. */
typedef void http_refuser(struct http_reply *reply, enum refusal refusal, const char *text);

/* The names that a route answers to, so that no page in a browser reaches it by a name that leads
 * to this machine (DNS rebinding). A request's Host must be one of them, and its Origin, when it
 * has one, must be of one of them or among the server's origins. The port doesn't count. */
struct http_hosts {
    const char *const *names; /* an IPv6 address in brackets */
    size_t count;
};

struct http_route {
    const char *method; /* "GET" (HEAD is then answered too) or "POST" (then the body is JSON) */
    const char *path;   /* such as "/salons/{salon}/book"; at most one parameter */
    http_handler *handle;
    void *context;
    bool while_draining;            /* answered also while the server stops */
    http_refuser *refuse;           /* or NULL: http_reply_refuse */
    const struct http_hosts *hosts; /* or NULL: any */
};

/* What may be said of a request that is over: nothing that a client sent, but for an id. */
struct http_facts {
    const char *route;      /* the template, or NULL when none matched */
    const char *method;     /* a known one, or "other" */
    unsigned status;        /* 0 when the connection ended without a reply */
    enum refusal refusal;   /* or REFUSAL_NONE */
    const char *note;       /* or NULL */
    const char *tool;       /* or NULL */
    const char *request_id; /* safe characters only; borrowed for the call */
    int64_t microseconds;   /* from the headers' end to the reply's */
};

/* Called from any worker thread once a request is over. */
typedef void http_observer(void *context, const struct http_facts *facts);

struct http_config {
    int listener;                    /* from http_listen; the server closes it */
    const struct http_route *routes; /* borrowed for the server's life, as all pointers here are */
    size_t route_count;
    const char *const *origins; /* that pages in browsers may call from, compared as bytes */
    size_t origin_count;
    http_observer *observe; /* or NULL */
    void *observe_context;
    size_t body_size_max;     /* bytes */
    unsigned threads;         /* 1 to THREADS_MOST */
    unsigned timeout;         /* seconds for a request to be complete, 1 to TIMEOUT_MOST */
    unsigned connections_max; /* 1 to CONNECTIONS_MOST */
    unsigned per_client_max;  /* connections from one address; 0: as many as there are */
};

struct http_server;

/* True when http_listen would take the text for an address. */
bool http_address_is_valid(const char *address);

/* A listening socket on `address` ("127.0.0.1:8080", "[::1]:8080", port 0 for a free one). On
 * success the socket and, in `url`, where it is reached. STATUS_INVALID for a text that is no
 * address, STATUS_IO with errno set when it can't be had. */
enum status http_listen(const char *address, int *listener, char url[HTTP_URL_SIZE]);

/* Starts to answer. STATUS_IO when threads or descriptors are short. On failure the listener is
 * closed too. */
enum status http_server_start(const struct http_config *config, struct http_server **out);

/* Stops in good order: no new connections; requests in flight are answered, later ones on open
 * connections get 503; then everything is closed. Waits for what a client still sends or reads, for
 * the configured timeout at most, and for every reply that a handler owes. Does nothing for NULL or
 * a second time. */
void http_server_stop(struct http_server *server);

/* Stops it, and releases it. */
void http_server_free(struct http_server *server);

/* How many connections are open; none once it stopped. Any thread. */
size_t http_server_connections(struct http_server *server);

/* Fills in a refusal: the row's status and `text`, or the row's reason when it is NULL, as a JSON
 * string. */
void http_reply_refuse(struct http_reply *reply, enum refusal refusal, const char *text);

#endif
