#include "local_server.h"

#include "book_tool.h"
#include "http_server.h"
#include "routes.h"
#include "serve_mcp.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 1, TIMEOUT_SECONDS = 30, CONNECTIONS = 16 };

static const unsigned char mark[MARK_SIZE] = "marked!";

struct local_server {
    atomic_int_fast64_t time;
    atomic_uint_fast64_t nonces;
    bool has_nonces;
    struct clock *clock;
    struct ledger *ledger;
    struct keyring *keyring;
    struct service *service;
    struct mcp_tool tool;
    struct mcp_server mcp;
    struct http_hosts hosts;
    struct http_route routes[ROUTE_COUNT + 1];
    struct http_server *http;
    struct server_address address;
};

static int64_t read_time(void *context) {
    struct local_server *server = context;
    return atomic_load(&server->time);
}

static int64_t stand_still(void *context) {
    (void)context;
    return 0;
}

static enum status draw_nonce(void *context, unsigned char nonce[NONCE_SIZE], bool *has_nonce) {
    struct local_server *server = context;
    uint64_t count = atomic_fetch_add(&server->nonces, 1);
    memcpy(nonce, mark, MARK_SIZE);
    memcpy(nonce + MARK_SIZE, &count, NONCE_SIZE - MARK_SIZE);
    *has_nonce = server->has_nonces;
    return STATUS_OK;
}

static enum status make_service(struct local_server *server, const struct local_options *options) {
    const struct clock_source source = {read_time, stand_still, server};
    enum status status = clock_new(source, &server->clock);
    if (status == STATUS_OK)
        status = ledger_memory_new(options->capacity, options->checks_mark ? mark : NULL,
                                   &server->ledger);
    if (status == STATUS_OK)
        status = keyring_new(&options->key, options->key.size > 0, &server->keyring);
    if (status != STATUS_OK)
        return status;
    const struct service_config config = {
        .clock = server->clock,
        .ledger = server->ledger,
        .nonces = {draw_nonce, server},
        .valid_for = options->valid_for,
        .body_size_max = BODY_SIZE_DEFAULT,
    };
    return service_new(&config, server->keyring, &server->service);
}

static enum status serve(struct local_server *server) {
    char url[HTTP_URL_SIZE];
    struct http_config config = {
        .routes = server->routes,
        .route_count = ROUTE_COUNT + 1,
        .body_size_max = BODY_SIZE_DEFAULT,
        .threads = WORKERS,
        .timeout = TIMEOUT_SECONDS,
        .connections_max = CONNECTIONS,
    };
    routes_init(server->routes, server->service);
    server->tool = book_tool(server->service);
    server->mcp = (struct mcp_server){.name = "local",
                                      .version = "1",
                                      .instructions = BOOK_INSTRUCTIONS,
                                      .tools = &server->tool,
                                      .tool_count = 1};
    server->hosts = (struct http_hosts){loopback_names, LOOPBACK_NAME_COUNT};
    server->routes[ROUTE_COUNT] = mcp_route(&server->mcp, &server->hosts);
    enum status status = http_listen("127.0.0.1:0", &config.listener, url);
    if (status == STATUS_OK)
        status = http_server_start(&config, &server->http);
    sscanf(url, "http://%47[0-9.]:%u", server->address.host, &server->address.port);
    return status;
}

struct local_server *local_server_start(const struct local_options *options) {
    struct local_server *server = calloc(1, sizeof *server);
    if (server == NULL)
        return NULL;
    atomic_init(&server->time, options->time);
    atomic_init(&server->nonces, 1);
    server->has_nonces = options->has_nonces;
    if (make_service(server, options) == STATUS_OK && serve(server) == STATUS_OK)
        return server;
    local_server_stop(server);
    return NULL;
}

void local_server_stop(struct local_server *server) {
    if (server == NULL)
        return;
    http_server_free(server->http);
    service_free(server->service);
    keyring_release(server->keyring);
    ledger_free(server->ledger);
    clock_free(server->clock);
    free(server);
}

const struct server_address *local_server_address(const struct local_server *server) {
    return &server->address;
}

void local_server_set_time(struct local_server *server, int64_t time) {
    atomic_store(&server->time, time);
}
