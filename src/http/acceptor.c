#include "acceptor.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct acceptor {
    int listener;
    struct MHD_Daemon *daemon;
    struct connections *connections;
    pthread_t thread;
};

/* The library closes the socket when it doesn't take the connection. */
static void hand_over(struct acceptor *acceptor, int socket, const struct sockaddr_in6 *address,
                      socklen_t size) {
    connections_expect(acceptor->connections);
    if (MHD_add_connection(acceptor->daemon, socket, (const struct sockaddr *)address, size) !=
        MHD_YES)
        connections_expect_no_more(acceptor->connections);
}

static bool is_short_of_something(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void *take_connections(void *context) {
    struct acceptor *acceptor = context;
    while (connections_wait_for_room(acceptor->connections)) {
        struct sockaddr_in6 address; /* an IPv4 address is smaller */
        socklen_t size = sizeof address;
        int socket = accept4(acceptor->listener, (struct sockaddr *)&address, &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket >= 0)
            hand_over(acceptor, socket, &address, size);
        else if (is_short_of_something(errno))
            connections_wait_for_change(acceptor->connections);
    }
    return NULL;
}

enum status acceptor_start(int listener, struct MHD_Daemon *daemon, struct connections *connections,
                           struct acceptor **out) {
    struct acceptor *acceptor = malloc(sizeof *acceptor);
    if (acceptor == NULL)
        return STATUS_NO_MEMORY;
    *acceptor = (struct acceptor){
        .listener = listener,
        .daemon = daemon,
        .connections = connections,
    };
    if (pthread_create(&acceptor->thread, NULL, take_connections, acceptor) != 0) {
        free(acceptor);
        return STATUS_IO;
    }
    *out = acceptor;
    return STATUS_OK;
}

void acceptor_stop(struct acceptor *acceptor) {
    if (acceptor == NULL)
        return;
    shutdown(acceptor->listener, SHUT_RDWR); /* which ends a wait in accept4, too */
    pthread_join(acceptor->thread, NULL);
    close(acceptor->listener);
    free(acceptor);
}
