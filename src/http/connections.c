#include "connections.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum activity { IDLE, RECEIVING, ANSWERING };

struct connection {
    int socket; /* -1 for a free place */
    void *request;
    enum activity activity;
    int64_t since; /* monotonic milliseconds: when the connection was ready for its request */
    struct connection *before; /* in the queue of those that owe a request, while it is there */
    struct connection *after;  /* there, or in the list of free places */
};

struct connections {
    pthread_mutex_t lock; /* guards all below. shutdown() is called under it: it doesn't block, and
                             the socket must not be closed and its number reused meanwhile. */
    pthread_cond_t ended;
    pthread_cond_t changed; /* one began or ended, or they drain */
    pthread_t watcher;
    bool ending;
    bool draining;
    int64_t last_room; /* monotonic milliseconds: until when a place is waited for then */
    int64_t timeout;   /* milliseconds */
    size_t count;
    size_t expected;
    size_t most;
    struct connection *first; /* the queue: who owes a request the longest comes first */
    struct connection *last;
    struct connection *free;
    struct connection places[];
};

enum {
    WATCH_INTERVAL = 250, /* milliseconds */
    /* Milliseconds. An ended connection's descriptor is closed a little after its end is told, so
     * whoever waits for one looks again soon. */
    SHORTAGE_INTERVAL = 20,
};

static int64_t monotonic_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void enqueue(struct connections *connections, struct connection *connection) {
    connection->before = connections->last;
    connection->after = NULL;
    if (connections->last == NULL)
        connections->first = connection;
    else
        connections->last->after = connection;
    connections->last = connection;
}

static void dequeue(struct connections *connections, struct connection *connection) {
    if (connection->before == NULL)
        connections->first = connection->after;
    else
        connection->before->after = connection->after;
    if (connection->after == NULL)
        connections->last = connection->before;
    else
        connection->after->before = connection->before;
}

/* A connection that was shut stays in the queue until the library removes it, which is soon. */
static void shut_overdue(struct connections *connections, int64_t now) {
    for (struct connection *connection = connections->first;
         connection != NULL && now - connection->since >= connections->timeout;
         connection = connection->after)
        shutdown(connection->socket, SHUT_RDWR);
}

/* Waits for the signal, for so many milliseconds at most; false when it didn't come. */
static bool wait_for(struct connections *connections, pthread_cond_t *signal, int milliseconds) {
    int64_t at = monotonic_milliseconds() + milliseconds;
    struct timespec until = {at / 1000, at % 1000 * 1000000};
    return pthread_cond_clockwait(signal, &connections->lock, CLOCK_MONOTONIC, &until) == 0;
}

static void *watch(void *context) {
    struct connections *connections = context;
    pthread_mutex_lock(&connections->lock);
    while (!connections->ending) {
        wait_for(connections, &connections->ended, WATCH_INTERVAL);
        shut_overdue(connections, monotonic_milliseconds());
    }
    pthread_mutex_unlock(&connections->lock);
    return NULL;
}

enum status connections_new(size_t most, unsigned timeout, struct connections **out) {
    struct connections *connections =
        calloc(1, sizeof *connections + most * sizeof connections->places[0]);
    if (connections == NULL)
        return STATUS_NO_MEMORY;
    connections->timeout = (int64_t)timeout * 1000;
    connections->most = most;
    for (size_t i = most; i > 0; i--) {
        connections->places[i - 1] = (struct connection){.socket = -1, .after = connections->free};
        connections->free = &connections->places[i - 1];
    }
    pthread_mutex_init(&connections->lock, NULL); /* with default attributes neither can fail */
    pthread_cond_init(&connections->ended, NULL);
    pthread_cond_init(&connections->changed, NULL);
    if (pthread_create(&connections->watcher, NULL, watch, connections) != 0) {
        pthread_cond_destroy(&connections->changed);
        pthread_cond_destroy(&connections->ended);
        pthread_mutex_destroy(&connections->lock);
        free(connections);
        return STATUS_IO;
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
    pthread_cond_destroy(&connections->changed);
    pthread_cond_destroy(&connections->ended);
    pthread_mutex_destroy(&connections->lock);
    free(connections);
}

static bool has_room(const struct connections *connections) {
    return connections->count + connections->expected < connections->most;
}

bool connections_wait_for_room(struct connections *connections) {
    pthread_mutex_lock(&connections->lock);
    while (!connections->draining && !has_room(connections))
        if (!wait_for(connections, &connections->changed, HANDOVER_MOST))
            connections->expected = 0;
    bool goes_on = !connections->draining;
    pthread_mutex_unlock(&connections->lock);
    return goes_on;
}

bool connections_wait_for_last_room(struct connections *connections) {
    pthread_mutex_lock(&connections->lock);
    for (;;) {
        int64_t left = connections->last_room - monotonic_milliseconds();
        if (has_room(connections) || left <= 0)
            break;
        wait_for(connections, &connections->changed, (int)left);
    }
    bool found = has_room(connections);
    pthread_mutex_unlock(&connections->lock);
    return found;
}

void connections_wait_for_change(struct connections *connections) {
    pthread_mutex_lock(&connections->lock);
    if (!connections->draining)
        wait_for(connections, &connections->changed, SHORTAGE_INTERVAL);
    pthread_mutex_unlock(&connections->lock);
}

void connections_expect(struct connections *connections) {
    pthread_mutex_lock(&connections->lock);
    connections->expected++;
    pthread_mutex_unlock(&connections->lock);
}

static void expect_one_less(struct connections *connections) {
    if (connections->expected > 0)
        connections->expected--;
}

void connections_expect_no_more(struct connections *connections) {
    pthread_mutex_lock(&connections->lock);
    expect_one_less(connections);
    pthread_mutex_unlock(&connections->lock);
}

static void become_idle(struct connections *connections, struct connection *connection) {
    connection->activity = IDLE;
    connection->since = monotonic_milliseconds();
    enqueue(connections, connection);
    if (connections->draining)
        shutdown(connection->socket, SHUT_RD);
}

struct connection *connections_add(struct connections *connections, int socket) {
    pthread_mutex_lock(&connections->lock);
    expect_one_less(connections);
    pthread_cond_signal(&connections->changed);
    struct connection *connection = connections->free;
    if (connection != NULL) {
        connections->free = connection->after;
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
    if (connection->activity != ANSWERING)
        dequeue(connections, connection);
    connection->socket = -1;
    connection->after = connections->free;
    connections->free = connection;
    connections->count--;
    pthread_cond_signal(&connections->changed);
    pthread_mutex_unlock(&connections->lock);
}

void connection_is_receiving(struct connections *connections, struct connection *connection) {
    if (connection == NULL)
        return;
    pthread_mutex_lock(&connections->lock);
    connection->activity = RECEIVING;
    pthread_mutex_unlock(&connections->lock);
}

void connection_is_answering(struct connections *connections, struct connection *connection) {
    if (connection == NULL)
        return;
    pthread_mutex_lock(&connections->lock);
    if (connection->activity != ANSWERING)
        dequeue(connections, connection);
    connection->activity = ANSWERING;
    pthread_mutex_unlock(&connections->lock);
}

void connection_is_idle(struct connections *connections, struct connection *connection) {
    if (connection == NULL)
        return;
    pthread_mutex_lock(&connections->lock);
    if (connection->activity != ANSWERING)
        dequeue(connections, connection);
    become_idle(connections, connection);
    pthread_mutex_unlock(&connections->lock);
}

void connections_drain(struct connections *connections) {
    pthread_mutex_lock(&connections->lock);
    connections->draining = true;
    connections->last_room = monotonic_milliseconds() + LAST_ROOM_MOST;
    pthread_cond_signal(&connections->changed);
    for (struct connection *connection = connections->first; connection != NULL;
         connection = connection->after)
        if (connection->activity == IDLE)
            shutdown(connection->socket, SHUT_RD);
    pthread_mutex_unlock(&connections->lock);
}

void connections_wait_for_expected(struct connections *connections) {
    pthread_mutex_lock(&connections->lock);
    while (connections->expected > 0)
        if (!wait_for(connections, &connections->changed, HANDOVER_MOST))
            connections->expected = 0;
    pthread_mutex_unlock(&connections->lock);
}

void **connection_request(struct connection *connection) {
    return &connection->request;
}

size_t connections_count(struct connections *connections) {
    pthread_mutex_lock(&connections->lock);
    size_t count = connections->count;
    pthread_mutex_unlock(&connections->lock);
    return count;
}
