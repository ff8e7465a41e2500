/* The sockets of the open connections, and since when each has owed a whole request. The library
 * knows idle time only, so a client that sends a byte a second would live for ever; a watcher of
 * ours shuts such sockets down. Private to http. */
#ifndef TANDEM_CONNECTIONS_H
#define TANDEM_CONNECTIONS_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>

struct connections;
struct connection;

enum {
    HTTP_LISTEN_QUEUE = 1024, /* connections that may wait in the listener's queue */
    HANDOVER_MOST = 1000,     /* milliseconds from a connection's acceptance to its worker */
    LAST_ROOM_MOST = 200,     /* milliseconds that clients wait for a server that stops */
};

/* Room for `most` connections whose requests must be complete within `timeout` seconds, and the
 * thread that sees to it. */
enum status connections_new(size_t most, unsigned timeout, struct connections **out);

/* Ends the thread. No connection may be left. */
void connections_free(struct connections *connections);

/* For the thread that takes connections. Waits until there is room for one more: false once they
 * drain. Waits until one begins or ends or they drain, for a few milliseconds at most. */
bool connections_wait_for_room(struct connections *connections);
void connections_wait_for_change(struct connections *connections);

/* While they drain: waits until there is room for one more, until LAST_ROOM_MOST after the drain
 * began: false when there is none by then. */
bool connections_wait_for_last_room(struct connections *connections);

/* A connection goes to a worker, which will add it, and takes a place from now on; it won't after
 * all. A worker without memory drops one and says nothing: once there was no room and no change for
 * HANDOVER_MOST, those expected still are given up. */
void connections_expect(struct connections *connections);
void connections_expect_no_more(struct connections *connections);

/* An expected connection begins, on this socket, and owes a request; NULL when there is no room.
 * Before its socket is closed it must be removed. All these from any thread. */
struct connection *connections_add(struct connections *connections, int socket);
void connections_remove(struct connections *connections, struct connection *connection);

/* What the connection's request is kept in, for whoever ends the connection; starts as NULL. Used
 * by the connection's own worker only. */
void **connection_request(struct connection *connection);

/* A request has begun to arrive; it is complete, and nothing is owed; its reply is done, and the
 * next request is owed. */
void connection_is_receiving(struct connections *connections, struct connection *connection);
void connection_is_answering(struct connections *connections, struct connection *connection);
void connection_is_idle(struct connections *connections, struct connection *connection);

/* From now on no new request is waited for: connections without one are shut for reading, which the
 * library takes as the client's end, after it has read what came before. */
void connections_drain(struct connections *connections);

/* While they drain: waits for those expected, for HANDOVER_MOST at most. */
void connections_wait_for_expected(struct connections *connections);

/* Those that began. */
size_t connections_count(struct connections *connections);

#endif
