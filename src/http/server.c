#include "exchange.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTION_MEMORY = 16384,  /* bytes; the headers and a piece of the body must fit */
    WORKER_STACK_SIZE = 262144, /* bytes; nothing here recurses deeper than JSON_DEPTH_MAX */
    DRAIN_POLL = 5,             /* milliseconds */
    REPLY_GRACE = 1000,         /* milliseconds for a reply that came late */
};

static void ignore_log(void *context, const char *format, va_list arguments) {
    (void)context;
    (void)format;
    (void)arguments;
}

static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

static void watch_connection(void *context, struct MHD_Connection *connection,
                             void **socket_context, enum MHD_ConnectionNotificationCode code) {
    struct http_server *server = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *socket_context = connections_add(server->connections, info->connect_fd);
    } else {
        exchange_abandon(*socket_context);
        connections_remove(server->connections, *socket_context);
    }
}

/* The library's strictness is left off: on this version it adds two checks, for a missing Host and
 * a space in the target, which framing and target do with replies of ours. */
static struct MHD_Daemon *start_daemon(struct http_server *server) {
    const struct http_config *config = &server->config;
    /* Ours is the limit that counts. The library's is split between the workers, and counts a
     * connection for a while after its end. */
    unsigned limit = 2 * config->connections_max * config->threads;
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET |
                                MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
                            0, NULL, NULL, exchange_handle, server, MHD_OPTION_EXTERNAL_LOGGER,
                            ignore_log, NULL, MHD_OPTION_THREAD_POOL_SIZE, config->threads,
                            MHD_OPTION_THREAD_STACK_SIZE, (size_t)WORKER_STACK_SIZE,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
                            MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                            config->per_client_max, MHD_OPTION_CONNECTION_TIMEOUT, config->timeout,
                            MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_URI_LOG_CALLBACK,
                            exchange_begin, server, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped,
                            NULL, MHD_OPTION_NOTIFY_COMPLETED, exchange_end, server,
                            MHD_OPTION_NOTIFY_CONNECTION, watch_connection, server, MHD_OPTION_END);
}

static enum status start(struct http_server *server) {
    const struct http_config *config = &server->config;
    enum status status = random_fill((unsigned char *)&server->id_seed, sizeof server->id_seed);
    if (status == STATUS_OK)
        status = connections_new(config->connections_max, config->timeout, &server->connections);
    if (status != STATUS_OK)
        return status;
    server->daemon = start_daemon(server);
    if (server->daemon == NULL)
        return STATUS_IO;
    return acceptor_start(config->listener, server->daemon, server->connections, &server->acceptor);
}

enum status http_server_start(const struct http_config *config, struct http_server **out) {
    struct http_server *server = calloc(1, sizeof *server);
    enum status status = STATUS_NO_MEMORY;
    if (server != NULL) {
        server->config = *config;
        atomic_init(&server->draining, false);
        atomic_init(&server->next_id, 0);
        atomic_init(&server->suspended, 0);
        status = start(server);
    }
    if (status == STATUS_OK) {
        *out = server;
        return STATUS_OK;
    }
    close(config->listener);
    http_server_free(server);
    return status;
}

static int64_t monotonic_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_for_clients(struct http_server *server) {
    const struct timespec pause = {0, DRAIN_POLL * 1000000L};
    int64_t until = monotonic_milliseconds() + (int64_t)server->config.timeout * 1000;
    for (;;) {
        int64_t now = monotonic_milliseconds();
        if (atomic_load(&server->suspended) > 0) {
            /* Whatever it waits for may take longer than clients have, and then its reply has to
             * be written still. */
            until = now + REPLY_GRACE > until ? now + REPLY_GRACE : until;
        } else if (connections_count(server->connections) == 0 || now >= until) {
            return;
        }
        nanosleep(&pause, NULL);
    }
}

void http_server_stop(struct http_server *server) {
    if (server == NULL || server->daemon == NULL)
        return;
    atomic_store(&server->draining, true);
    connections_drain(server->connections);
    acceptor_stop(server->acceptor);
    connections_wait_for_expected(server->connections);
    wait_for_clients(server);
    MHD_stop_daemon(server->daemon);
    server->daemon = NULL;
}

void http_server_free(struct http_server *server) {
    if (server == NULL)
        return;
    http_server_stop(server);
    connections_free(server->connections);
    free(server);
}

size_t http_server_connections(struct http_server *server) {
    return connections_count(server->connections);
}
