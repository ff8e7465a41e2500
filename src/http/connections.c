#include "connections.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum activity { IDLE, RECEIVING, ANSWERING };

struct connection {
    int socket; /* -1 for a free place */
    enum activity activity;
    int64_t since; /* monotonic milliseconds: when the connection was ready for its request */
    struct connection *next_free;
};

struct connections {
    pthread_mutex_t lock; /* guards all below. shutdown() is called under it: it doesn't block, and
                             the socket must not be closed and its number reused meanwhile. */
    pthread_cond_t ended;
    pthread_t watcher;
    bool ending;
    bool draining;
    int64_t timeout; /* milliseconds */
    size_t count;
    size_t most;
    struct connection *free;
    struct connection places[];
};

enum { WATCH_INTERVAL = 250 }; /* milliseconds */

static int64_t monotonic_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void shut_overdue(struct connections *connections, int64_t now) {
    for (size_t i = 0; i < connections->most; i++) {
        struct connection *connection = &connections->places[i];
        if (connection->socket >= 0 && connection->activity != ANSWERING &&
            now - connection->since >= connections->timeout)
            shutdown(connection->socket, SHUT_RDWR);
    }
}

static struct timespec next_watch(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += WATCH_INTERVAL * 1000000L;
    at.tv_sec += at.tv_nsec / 1000000000L;
    at.tv_nsec %= 1000000000L;
    return at;
}

static void *watch(void *context) {
    struct connections *connections = context;
    pthread_mutex_lock(&connections->lock);
    while (!connections->ending) {
        struct timespec until = next_watch();
        pthread_cond_timedwait(&connections->ended, &connections->lock, &until);
        shut_overdue(connections, monotonic_milliseconds());
    }
    pthread_mutex_unlock(&connections->lock);
    return NULL;
}

static enum status start_watching(struct connections *connections) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&connections->lock, NULL);
    pthread_cond_init(&connections->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    return pthread_create(&connections->watcher, NULL, watch, connections) == 0 ? STATUS_OK
                                                                                : STATUS_IO;
}

enum status connections_new(size_t most, unsigned timeout, struct connections **out) {
    struct connections *connections =
        calloc(1, sizeof *connections + most * sizeof connections->places[0]);
    if (connections == NULL)
        return STATUS_NO_MEMORY;
    connections->timeout = (int64_t)timeout * 1000;
    connections->most = most;
    for (size_t i = most; i > 0; i--) {
        connections->places[i - 1] = (struct connection){-1, IDLE, 0, connections->free};
        connections->free = &connections->places[i - 1];
    }
    enum status status = start_watching(connections);
    if (status != STATUS_OK) {
        free(connections);
        return status;
    }
    *out = connections;
    return STATUS_OK;
}

void connections_free(struct connections *connections) {
    if (connections == NULL)
        return;
    pthread_mutex_lock(&connections->lock);
    connections->ending = true;
    pthread_cond_signal(&connections->ended);
    pthread_mutex_unlock(&connections->lock);
    pthread_join(connections->watcher, NULL);
    pthread_cond_destroy(&connections->ended);
    pthread_mutex_destroy(&connections->lock);
    free(connections);
}

static void become_idle(struct connections *connections, struct connection *connection) {
    connection->activity = IDLE;
    connection->since = monotonic_milliseconds();
    if (connections->draining)
        shutdown(connection->socket, SHUT_RD);
}

struct connection *connections_add(struct connections *connections, int socket) {
    pthread_mutex_lock(&connections->lock);
    struct connection *connection = connections->free;
    if (connection != NULL) {
        connections->free = connection->next_free;
        connections->count++;
        connection->socket = socket;
        become_idle(connections, connection);
    }
    pthread_mutex_unlock(&connections->lock);
    return connection;
}

void connections_remove(struct connections *connections, struct connection *connection) {
    if (connection == NULL)
        return;
    pthread_mutex_lock(&connections->lock);
    connection->socket = -1;
    connection->next_free = connections->free;
    connections->free = connection;
    connections->count--;
    pthread_mutex_unlock(&connections->lock);
}

static void set_activity(struct connections *connections, struct connection *connection,
                         enum activity activity) {
    if (connection == NULL)
        return;
    pthread_mutex_lock(&connections->lock);
    connection->activity = activity;
    pthread_mutex_unlock(&connections->lock);
}

void connection_is_receiving(struct connections *connections, struct connection *connection) {
    set_activity(connections, connection, RECEIVING);
}

void connection_is_answering(struct connections *connections, struct connection *connection) {
    set_activity(connections, connection, ANSWERING);
}

void connection_is_idle(struct connections *connections, struct connection *connection) {
    if (connection == NULL)
        return;
    pthread_mutex_lock(&connections->lock);
    become_idle(connections, connection);
    pthread_mutex_unlock(&connections->lock);
}

void connections_drain(struct connections *connections) {
    pthread_mutex_lock(&connections->lock);
    connections->draining = true;
    for (size_t i = 0; i < connections->most; i++)
        if (connections->places[i].socket >= 0 && connections->places[i].activity == IDLE)
            shutdown(connections->places[i].socket, SHUT_RD);
    pthread_mutex_unlock(&connections->lock);
}

size_t connections_count(struct connections *connections) {
    pthread_mutex_lock(&connections->lock);
    size_t count = connections->count;
    pthread_mutex_unlock(&connections->lock);
    return count;
}
