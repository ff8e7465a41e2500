/* Takes the connections of a listener and hands them to the library's workers. The library can take
 * them by itself, but the way it stops doing so, MHD_quiesce_daemon, now and then ends the process:
 * it and a worker both take the listener from the worker's epoll set, and who comes second calls
 * abort(). Private to http. */
#ifndef TANDEM_ACCEPTOR_H
#define TANDEM_ACCEPTOR_H

#include "connections.h"

#include <microhttpd.h>

struct acceptor;

/* Starts a thread that takes connections from `listener`, which doesn't block and which it owns
 * from then on, while there is room for them; the others wait in the listener's queue.
 * STATUS_NO_MEMORY, or STATUS_IO without a thread or a descriptor; the listener is then the
 * caller's still. */
enum status acceptor_start(int listener, struct MHD_Daemon *daemon, struct connections *connections,
                           struct acceptor **out);

/* Once connections_drain was called: takes those that wait in the listener's queue, who may have
 * sent their requests, as far as there is room for them soon; ends the thread, and closes the
 * listener, so that clients that come later are refused. What was taken is the workers'. Does
 * nothing for NULL. */
void acceptor_stop(struct acceptor *acceptor);

#endif
