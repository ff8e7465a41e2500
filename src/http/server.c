#include "http_server.h"

#include "connections.h"
#include "framing.h"
#include "random.h"
#include "reply.h"
#include "target.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    WORKER_STACK_SIZE = 262144, /* bytes; nothing here recurses deeper than JSON_DEPTH_MAX */
    GENERATED_ID_SIZE = 16,
    DRAIN_POLL = 5, /* milliseconds */
};

struct http_server {
    struct http_config config;
    struct MHD_Daemon *daemon;
    struct connections *connections;
    atomic_bool draining;
    atomic_uint_fast64_t next_id;
    uint64_t id_seed;
};

/* How far a request has come. */
enum phase {
    PHASE_HEADERS,  /* the handler hasn't seen it yet */
    PHASE_BODY,     /* being read; fit to be answered so far */
    PHASE_REFUSED,  /* to be refused once the library lets us; it has no body to speak of */
    PHASE_DROPPING, /* refused already, straight onto the socket; the rest is read and dropped */
};

/* One request. It is made when its target is known and released when the library is done. */
struct exchange {
    struct http_server *server;
    enum phase phase;
    const struct http_route *route; /* once one matched */
    struct bytes parameter;
    struct buffer body;
    size_t dropped;
    struct http_reply reply;
    const char *allow;
    bool closes;
    bool is_head;
    char request_id[REQUEST_ID_SIZE_MAX + 1];
    struct bytes target;
    unsigned char room[]; /* the target, and as many bytes again for the decoded parameter */
};

static void mhd_log(void *context, const char *format, va_list arguments) {
    (void)context;
    (void)format;
    (void)arguments;
}

static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/* splitmix64: every count has its own id, and nothing about the server is read off it. */
static uint64_t scramble(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

static void generate_id(struct http_server *server, char id[REQUEST_ID_SIZE_MAX + 1]) {
    uint64_t count = atomic_fetch_add_explicit(&server->next_id, 1, memory_order_relaxed);
    snprintf(id, REQUEST_ID_SIZE_MAX + 1, "%016llx",
             (unsigned long long)scramble(server->id_seed + count * 0x9e3779b97f4a7c15U));
}

static struct connection *connection_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

static void *begin_exchange(void *context, const char *uri, struct MHD_Connection *connection) {
    size_t size = strlen(uri);
    struct exchange *exchange = calloc(1, sizeof *exchange + 2 * size);
    if (exchange == NULL)
        return NULL;
    exchange->server = context;
    exchange->body = buffer_new(exchange->server->config.body_size_max);
    exchange->reply = (struct http_reply){200, CONTENT_TYPE_JSON, buffer_new(SIZE_MAX)};
    memcpy(exchange->room, uri, size);
    exchange->target = (struct bytes){exchange->room, size};
    connection_is_receiving(exchange->server->connections, connection_of(connection));
    return exchange;
}

static void end_exchange(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode why) {
    struct http_server *server = context;
    struct exchange *exchange = *state;
    (void)why;
    if (exchange == NULL)
        return;
    connection_is_waiting(server->connections, connection_of(connection));
    buffer_done(&exchange->body);
    buffer_done(&exchange->reply.body);
    free(exchange);
    *state = NULL;
}

static void watch_connection(void *context, struct MHD_Connection *connection,
                             void **socket_context, enum MHD_ConnectionNotificationCode code) {
    struct http_server *server = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *socket_context = connections_add(server->connections, info->connect_fd);
    } else {
        connections_remove(server->connections, *socket_context);
    }
}

static enum MHD_Result add_header(void *context, enum MHD_ValueKind kind, const char *name,
                                  size_t name_size, const char *value, size_t value_size) {
    (void)kind;
    framing_add(context, (struct bytes){(const unsigned char *)name, name_size},
                (struct bytes){(const unsigned char *)value, value_size});
    return MHD_YES;
}

/* The methods that a path takes, as the Allow header says them. */
static const char *allowed_methods(const struct http_route *route) {
    return strcmp(route->method, "GET") == 0 ? "GET, HEAD" : route->method;
}

static bool takes_method(const struct http_route *route, const char *method) {
    return strcmp(route->method, method) == 0 ||
           (strcmp(route->method, "GET") == 0 && strcmp(method, "HEAD") == 0);
}

static bool refuse(struct exchange *exchange, enum refusal refusal, const char *text) {
    http_reply_refuse(&exchange->reply, refusal, text);
    return false;
}

static bool refuse_parameter(struct exchange *exchange, enum target_match match) {
    switch (match) {
    case TARGET_BROKEN_ESCAPE:
        return refuse(exchange, REFUSAL_UNREADABLE, "the path has a broken % escape");
    case TARGET_NUL:
        return refuse(exchange, REFUSAL_UNREADABLE, "the path holds a NUL");
    case TARGET_NOT_UTF8:
        return refuse(exchange, REFUSAL_UNREADABLE, "the path is not UTF-8");
    case TARGET_MATCHES:
    case TARGET_OTHER:
        break;
    }
    return refuse(exchange, REFUSAL_NOT_FOUND, NULL);
}

/* Finds the route of the path, whatever the method. */
static bool find_route(struct exchange *exchange) {
    const struct http_config *config = &exchange->server->config;
    struct bytes path;
    if (!target_path(exchange->target, &path))
        return refuse(exchange, REFUSAL_NOT_FOUND, NULL);
    enum target_match match = TARGET_OTHER;
    for (size_t i = 0; i < config->route_count && match == TARGET_OTHER; i++) {
        exchange->route = &config->routes[i];
        match = target_match(path, exchange->route->path, exchange->room + exchange->target.size,
                             &exchange->parameter);
    }
    return match == TARGET_MATCHES || refuse_parameter(exchange, match);
}

/* The checks that need no body, in protocol.md's order. */
static bool examine(struct exchange *exchange, const char *method, const struct framing *framing,
                    bool needs_host) {
    const char *problem = framing_problem(framing, needs_host);
    if (problem != NULL) {
        exchange->closes = true;
        return refuse(exchange, REFUSAL_UNREADABLE, problem);
    }
    if (!find_route(exchange))
        return false;
    if (!takes_method(exchange->route, method)) {
        exchange->allow = allowed_methods(exchange->route);
        return refuse(exchange, REFUSAL_METHOD, NULL);
    }
    if (atomic_load(&exchange->server->draining))
        return refuse(exchange, REFUSAL_UNAVAILABLE, NULL);
    if (strcmp(exchange->route->method, "POST") != 0)
        return true;
    if (framing->content_types != 1 || !content_type_is_json(framing->content_type))
        return refuse(exchange, REFUSAL_MEDIA_TYPE, NULL);
    if (framing->length > exchange->server->config.body_size_max)
        return refuse(exchange, REFUSAL_TOO_LARGE, NULL);
    return true;
}

static struct reply_head head_of(const struct exchange *exchange) {
    return (struct reply_head){
        .request_id = exchange->request_id,
        .allow = exchange->allow,
        .closes = exchange->closes || atomic_load(&exchange->server->draining),
    };
}

/* Refuses before the body's end, and goes on to read and drop what the client is still sending. */
static void refuse_now(struct exchange *exchange, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    exchange->closes = true;
    exchange->phase = PHASE_DROPPING;
    struct reply_head head = head_of(exchange);
    reply_write_now(info->connect_fd, &exchange->reply, &head, exchange->is_head);
}

static enum MHD_Result take_headers(struct exchange *exchange, struct MHD_Connection *connection,
                                    const char *method, const char *version) {
    struct framing framing = {0};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, add_header, &framing);
    generate_id(exchange->server, exchange->request_id);
    exchange->is_head = strcmp(method, "HEAD") == 0;
    exchange->phase = PHASE_BODY;
    /* A POST that says nothing of a body may still be followed by one: nothing after it is served.
     */
    if (strcmp(method, "POST") == 0 && framing.lengths + framing.codings == 0)
        exchange->closes = true;
    if (examine(exchange, method, &framing, strcmp(version, "HTTP/1.0") != 0))
        return MHD_YES;
    exchange->phase = PHASE_REFUSED;
    if (framing_has_body(&framing))
        refuse_now(exchange, connection);
    return MHD_YES;
}

static enum MHD_Result take_body(struct exchange *exchange, struct MHD_Connection *connection,
                                 struct bytes piece) {
    if (exchange->phase == PHASE_BODY) {
        buffer_append(&exchange->body, piece);
        if (exchange->body.status == STATUS_OK)
            return MHD_YES;
        if (exchange->body.status == STATUS_NO_MEMORY)
            return MHD_NO;
        refuse(exchange, REFUSAL_TOO_LARGE, NULL);
        refuse_now(exchange, connection);
    }
    exchange->dropped += piece.size;
    return exchange->dropped <= DROPPED_BODY_MAX ? MHD_YES : MHD_NO;
}

static enum MHD_Result answer(struct exchange *exchange, struct MHD_Connection *connection) {
    if (exchange->phase == PHASE_DROPPING)
        return MHD_NO; /* answered; this closes the connection */
    connection_is_answering(exchange->server->connections, connection_of(connection));
    if (exchange->phase == PHASE_BODY) {
        struct http_request request = {exchange->parameter, buffer_bytes(&exchange->body)};
        exchange->route->handle(exchange->route->context, &request, &exchange->reply);
    }
    struct reply_head head = head_of(exchange);
    return reply_queue(connection, &exchange->reply, &head);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload_data,
                              size_t *upload_data_size, void **state) {
    struct exchange *exchange = *state;
    (void)context;
    (void)url;
    if (exchange == NULL || connection_of(connection) == NULL)
        return MHD_NO;
    if (exchange->phase == PHASE_HEADERS)
        return take_headers(exchange, connection, method, version);
    if (*upload_data_size == 0)
        return answer(exchange, connection);
    struct bytes piece = {(const unsigned char *)upload_data, *upload_data_size};
    *upload_data_size = 0;
    return take_body(exchange, connection, piece);
}

static struct MHD_Daemon *start_daemon(struct http_server *server) {
    const struct http_config *config = &server->config;
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0,
                            NULL, NULL, handle, server, MHD_OPTION_EXTERNAL_LOGGER, mhd_log, NULL,
                            MHD_OPTION_LISTEN_SOCKET, config->listener, MHD_OPTION_THREAD_POOL_SIZE,
                            config->threads, MHD_OPTION_THREAD_STACK_SIZE,
                            (size_t)WORKER_STACK_SIZE, MHD_OPTION_CONNECTION_LIMIT,
                            config->connections_max, MHD_OPTION_CONNECTION_TIMEOUT, config->timeout,
                            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK,
                            begin_exchange, server, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped,
                            NULL, MHD_OPTION_NOTIFY_COMPLETED, end_exchange, server,
                            MHD_OPTION_NOTIFY_CONNECTION, watch_connection, server, MHD_OPTION_END);
}

static enum status start(struct http_server *server) {
    enum status status = random_fill((unsigned char *)&server->id_seed, sizeof server->id_seed);
    if (status == STATUS_OK)
        status = connections_new(server->config.connections_max, server->config.timeout,
                                 &server->connections);
    if (status != STATUS_OK)
        return status;
    server->daemon = start_daemon(server);
    return server->daemon == NULL ? STATUS_IO : STATUS_OK;
}

enum status http_server_start(const struct http_config *config, struct http_server **out) {
    struct http_server *server = calloc(1, sizeof *server);
    enum status status = STATUS_NO_MEMORY;
    if (server != NULL) {
        server->config = *config;
        atomic_init(&server->draining, false);
        atomic_init(&server->next_id, 0);
        status = start(server);
    }
    if (status != STATUS_OK) {
        close(config->listener);
        if (server != NULL)
            connections_free(server->connections);
        free(server);
        return status;
    }
    *out = server;
    return STATUS_OK;
}

static void pause_for(unsigned milliseconds) {
    struct timespec pause = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000L};
    while (nanosleep(&pause, &pause) != 0 && errno == EINTR)
        ;
}

void http_server_stop(struct http_server *server) {
    if (server == NULL)
        return;
    atomic_store(&server->draining, true);
    int listener = MHD_quiesce_daemon(server->daemon);
    if (listener != MHD_INVALID_SOCKET)
        close(listener); /* or clients would go on to connect to a server that never answers */
    connections_drain(server->connections);
    unsigned waited = 0;
    for (; connections_count(server->connections) > 0 && waited < server->config.timeout * 1000;
         waited += DRAIN_POLL)
        pause_for(DRAIN_POLL);
    MHD_stop_daemon(server->daemon);
    connections_free(server->connections);
    free(server);
}
