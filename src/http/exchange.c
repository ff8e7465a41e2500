#include "exchange.h"

#include "framing.h"
#include "headers.h"
#include "hex.h"
#include "hosts.h"
#include "reply.h"
#include "target.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How far a request has come. */
enum phase {
    PHASE_HEADERS,  /* the handler hasn't seen it yet */
    PHASE_BODY,     /* being read; fit to be answered so far */
    PHASE_REFUSED,  /* to be refused once the library lets us; it has no body to speak of */
    PHASE_LATER,    /* the handler answers later */
    PHASE_DROPPING, /* refused already, straight onto the socket; the rest is read and dropped */
    PHASE_ANSWERED,
};

/* Who comes first, the end of the handler's call or the reply. */
enum progress { PROGRESS_CALLING, PROGRESS_SUSPENDED, PROGRESS_DONE };

struct exchange {
    struct http_server *server;
    struct MHD_Connection *connection;
    _Atomic(enum progress) progress;
    enum phase phase;
    const char *method;             /* a known one, or "other" */
    int64_t began;                  /* monotonic microseconds */
    const struct http_route *route; /* once one matched */
    struct bytes parameter;
    struct buffer body;
    size_t dropped;
    struct http_request request;
    struct http_reply reply;
    struct reply_head head;
    char request_id[REQUEST_ID_SIZE_MAX + 1];
    struct bytes target;
    unsigned char room[]; /* the target, and as many bytes again for the decoded parameter */
};

static int64_t monotonic_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

struct connection *connection_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

static int socket_of(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

void *exchange_begin(void *context, const char *uri, struct MHD_Connection *connection) {
    size_t size = strlen(uri);
    struct exchange *exchange = calloc(1, sizeof *exchange + 2 * size);
    if (exchange == NULL)
        return NULL;
    exchange->server = context;
    exchange->connection = connection;
    exchange->method = "other";
    exchange->began = monotonic_microseconds();
    exchange->body = buffer_new(exchange->server->config.body_size_max);
    exchange->reply = (struct http_reply){.status = 200,
                                          .content_type = CONTENT_TYPE_JSON,
                                          .refusal = REFUSAL_NONE,
                                          .body = buffer_new(SIZE_MAX)};
    memcpy(exchange->room, uri, size);
    exchange->target = (struct bytes){exchange->room, size};
    struct connection *place = connection_of(connection);
    if (place != NULL)
        *connection_request(place) = exchange;
    connection_is_receiving(exchange->server->connections, place);
    return exchange;
}

/* Tells the observer, unless not even the headers were complete. */
static void observe(const struct exchange *exchange) {
    const struct http_config *config = &exchange->server->config;
    if (config->observe == NULL || exchange->phase == PHASE_HEADERS)
        return;
    bool has_reply = exchange->phase == PHASE_ANSWERED || exchange->phase == PHASE_DROPPING;
    const struct http_facts facts = {
        .route = exchange->route == NULL ? NULL : exchange->route->path,
        .method = exchange->method,
        .status = has_reply ? exchange->reply.status : 0,
        .refusal = exchange->reply.refusal,
        .note = exchange->reply.note,
        .tool = exchange->reply.tool,
        .request_id = exchange->request_id,
        .microseconds = monotonic_microseconds() - exchange->began,
    };
    config->observe(config->observe_context, &facts);
}

static void release(struct exchange *exchange) {
    buffer_done(&exchange->body);
    buffer_done(&exchange->reply.body);
    free(exchange);
}

void exchange_abandon(struct connection *place) {
    if (place == NULL)
        return;
    struct exchange *exchange = *connection_request(place);
    if (exchange != NULL)
        release(exchange);
    *connection_request(place) = NULL;
}

void exchange_end(void *context, struct MHD_Connection *connection, void **state,
                  enum MHD_RequestTerminationCode why) {
    struct http_server *server = context;
    struct exchange *exchange = *state;
    struct connection *place = connection_of(connection);
    (void)why;
    connection_is_idle(server->connections, place);
    if (exchange == NULL)
        return;
    observe(exchange);
    if (place != NULL)
        *connection_request(place) = NULL;
    release(exchange);
    *state = NULL;
}

static enum MHD_Result add_header(void *context, enum MHD_ValueKind kind, const char *name,
                                  size_t name_size, const char *value, size_t value_size) {
    (void)kind;
    request_headers_add(context, (struct bytes){(const unsigned char *)name, name_size},
                        (struct bytes){(const unsigned char *)value, value_size});
    return MHD_YES;
}

/* splitmix64: every count has its own id, and nothing about the server is read off it. */
static uint64_t scramble(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

/* Keeps the client's id when it is safe to repeat, or makes one of 16 hex digits. */
static void choose_id(struct exchange *exchange, struct bytes given) {
    unsigned char *id = (unsigned char *)exchange->request_id;
    exchange->head.request_id = exchange->request_id;
    if (request_id_is_safe(given)) {
        memcpy(id, given.data, given.size);
        return;
    }
    struct http_server *server = exchange->server;
    uint64_t count = atomic_fetch_add_explicit(&server->next_id, 1, memory_order_relaxed);
    uint64_t value = scramble(server->id_seed + count * 0x9e3779b97f4a7c15U);
    hex_write((struct bytes){(const unsigned char *)&value, sizeof value}, id);
}

static const char *known_method(const char *method) {
    static const char *const known[] = {"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(method, known[i]) == 0)
            return known[i];
    return "other";
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
    http_refuser *write = exchange->route == NULL ? NULL : exchange->route->refuse;
    if (write == NULL)
        write = http_reply_refuse;
    write(&exchange->reply, refusal, text);
    return false;
}

static bool refuse_target(struct exchange *exchange, enum target_match match) {
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
static enum target_match find_route(struct exchange *exchange) {
    const struct http_config *config = &exchange->server->config;
    struct bytes path;
    if (!target_path(exchange->target, &path))
        return TARGET_OTHER;
    for (size_t i = 0; i < config->route_count; i++) {
        enum target_match match =
            target_match(path, config->routes[i].path, exchange->room + exchange->target.size,
                         &exchange->parameter);
        if (match == TARGET_OTHER)
            continue;
        exchange->route = &config->routes[i];
        return match;
    }
    return TARGET_OTHER;
}

static bool check_hosts(struct exchange *exchange, const struct request_headers *headers) {
    const struct http_hosts *hosts = exchange->route->hosts;
    if (hosts == NULL)
        return true;
    bool is_of_page = headers->origins > 0 && exchange->head.origin == NULL;
    if (host_is_allowed(hosts, headers->host) && headers->origins < 2 &&
        (!is_of_page || origin_is_allowed(hosts, headers->origin)))
        return true;
    return refuse(exchange, REFUSAL_FORBIDDEN, NULL);
}

/* A preflight of an allowed origin is answered here, with an empty 204. */
static bool answer_preflight(struct exchange *exchange) {
    exchange->head.is_preflight = true;
    exchange->reply.status = 204;
    return false;
}

static bool check_method(struct exchange *exchange, const char *method,
                         const struct request_headers *headers) {
    if (takes_method(exchange->route, method))
        return true;
    exchange->head.allow = allowed_methods(exchange->route);
    if (strcmp(method, "OPTIONS") == 0 && headers->asks_for_method && exchange->head.origin != NULL)
        return answer_preflight(exchange);
    return refuse(exchange, REFUSAL_METHOD, NULL);
}

static bool check_body_headers(struct exchange *exchange, const struct framing *framing) {
    if (strcmp(exchange->route->method, "POST") == 0 &&
        (framing->content_types != 1 || !content_type_is_json(framing->content_type)))
        return refuse(exchange, REFUSAL_MEDIA_TYPE, NULL);
    if (framing->length > exchange->server->config.body_size_max)
        return refuse(exchange, REFUSAL_TOO_LARGE, NULL);
    return true;
}

/* The checks that need no body, in protocol.md's order. False when the reply is made already. */
static bool examine(struct exchange *exchange, const char *method, const char *version,
                    const struct request_headers *headers) {
    enum target_match match = find_route(exchange);
    const char *problem = framing_problem(&headers->framing, strcmp(version, "HTTP/1.0") != 0);
    if (problem == NULL && !target_is_plain(exchange->target))
        problem = "the path holds a space or a control character";
    if (problem != NULL) {
        exchange->head.closes = true;
        return refuse(exchange, REFUSAL_UNREADABLE, problem);
    }
    if (match != TARGET_MATCHES)
        return refuse_target(exchange, match);
    if (!check_hosts(exchange, headers) || !check_method(exchange, method, headers))
        return false;
    if (!exchange->route->while_draining && atomic_load(&exchange->server->draining))
        return refuse(exchange, REFUSAL_UNAVAILABLE, NULL);
    return check_body_headers(exchange, &headers->framing);
}

/* Refuses before the body's end, and goes on to read and drop what the client is still sending. */
static void refuse_now(struct exchange *exchange, struct MHD_Connection *connection) {
    exchange->head.closes = true;
    exchange->phase = PHASE_DROPPING;
    reply_write_now(socket_of(connection), &exchange->reply, &exchange->head,
                    strcmp(exchange->method, "HEAD") == 0);
}

static void take_origin(struct exchange *exchange, struct bytes origin) {
    const struct http_config *config = &exchange->server->config;
    exchange->head.has_origins = config->origin_count > 0;
    for (size_t i = 0; i < config->origin_count; i++)
        if (bytes_equal(bytes_of_text(config->origins[i]), origin))
            exchange->head.origin = config->origins[i];
}

static enum MHD_Result take_headers(struct exchange *exchange, struct MHD_Connection *connection,
                                    const char *method, const char *version) {
    struct request_headers headers = {0};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, add_header, &headers);
    const struct framing *framing = &headers.framing;
    choose_id(exchange, headers.request_id);
    take_origin(exchange, headers.origin);
    exchange->method = known_method(method);
    exchange->began = monotonic_microseconds();
    /* A POST that says nothing of a body may still be followed by one: nothing after it is served.
     */
    exchange->head.closes =
        atomic_load(&exchange->server->draining) ||
        (strcmp(method, "POST") == 0 && framing->lengths + framing->codings == 0);
    exchange->phase = PHASE_BODY;
    if (examine(exchange, method, version, &headers))
        return MHD_YES;
    exchange->phase = PHASE_REFUSED;
    if (framing_has_body(framing))
        refuse_now(exchange, connection);
    return MHD_YES;
}

static enum MHD_Result take_body(struct exchange *exchange, struct MHD_Connection *connection,
                                 struct bytes piece) {
    if (exchange->phase == PHASE_BODY && strcmp(exchange->route->method, "POST") == 0) {
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

/* The values of one header, as they are gathered. */
struct header_search {
    struct bytes name;
    struct bytes value;
    size_t count;
};

static enum MHD_Result match_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    size_t name_size, const char *value, size_t value_size) {
    struct header_search *search = context;
    (void)kind;
    if (bytes_equal_ignoring_case((struct bytes){(const unsigned char *)name, name_size},
                                  search->name)) {
        search->value = (struct bytes){(const unsigned char *)value, value_size};
        search->count++;
    }
    return MHD_YES;
}

size_t http_request_header(const struct http_request *request, const char *name,
                           struct bytes *value) {
    const struct exchange *exchange =
        (const struct exchange *)((const char *)request - offsetof(struct exchange, request));
    struct header_search search = {.name = bytes_of_text(name)};
    MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, match_header, &search);
    if (search.count > 0)
        *value = framing_trim(search.value);
    return search.count;
}

void http_reply_done(struct http_reply *reply) {
    struct exchange *exchange =
        (struct exchange *)((char *)reply - offsetof(struct exchange, reply));
    struct http_server *server = exchange->server;
    /* Once resumed, the exchange may be gone before this returns. */
    if (atomic_exchange(&exchange->progress, PROGRESS_DONE) == PROGRESS_SUSPENDED)
        MHD_resume_connection(exchange->connection);
    atomic_fetch_sub(&server->suspended, 1);
}

/* Calls the handler. True when its reply is there; else the connection is suspended until it is. */
static bool call_handler(struct exchange *exchange) {
    exchange->request = (struct http_request){exchange->parameter, buffer_bytes(&exchange->body)};
    atomic_fetch_add(&exchange->server->suspended, 1);
    if (exchange->route->handle(exchange->route->context, &exchange->request, &exchange->reply) ==
        HTTP_NOW) {
        atomic_fetch_sub(&exchange->server->suspended, 1);
        return true;
    }
    if (atomic_load(&exchange->progress) == PROGRESS_DONE)
        return true;
    exchange->phase = PHASE_LATER;
    MHD_suspend_connection(exchange->connection);
    if (atomic_exchange(&exchange->progress, PROGRESS_SUSPENDED) == PROGRESS_DONE)
        MHD_resume_connection(exchange->connection);
    return false;
}

static enum MHD_Result answer(struct exchange *exchange, struct MHD_Connection *connection) {
    if (exchange->phase == PHASE_DROPPING)
        return MHD_NO; /* answered; this closes the connection */
    connection_is_answering(exchange->server->connections, connection_of(connection));
    if (exchange->phase == PHASE_BODY && !call_handler(exchange))
        return MHD_YES;
    exchange->head.closes |= atomic_load(&exchange->server->draining);
    enum MHD_Result result = reply_queue(connection, &exchange->reply, &exchange->head);
    if (result == MHD_YES)
        exchange->phase = PHASE_ANSWERED;
    return result;
}

enum MHD_Result exchange_handle(void *context, struct MHD_Connection *connection, const char *url,
                                const char *method, const char *version, const char *upload_data,
                                size_t *upload_data_size, void **state) {
    struct exchange *exchange = *state;
    (void)context;
    (void)url; /* decoded by the library: see target.h */
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
