#include "acceptor.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct acceptor {
    int listener;
    int stopping; /* readable once it has to stop */
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

/* Hands the next connection over, if one waits; errno says why not. */
static bool take(struct acceptor *acceptor) {
    struct sockaddr_in6 address; /* an IPv4 address is smaller */
    socklen_t size = sizeof address;
    int socket = accept4(acceptor->listener, (struct sockaddr *)&address, &size,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0)
        return false;
    hand_over(acceptor, socket, &address, size);
    return true;
}

static void wait_for_one(struct acceptor *acceptor) {
    struct pollfd awaited[] = {{.fd = acceptor->listener, .events = POLLIN},
                               {.fd = acceptor->stopping, .events = POLLIN}};
    poll(awaited, 2, -1);
}

/* Others may come all the while: no more are taken than waited. */
static void take_queue(struct acceptor *acceptor) {
    for (int i = 0; i <= HTTP_LISTEN_QUEUE; i++) {
        if (!connections_wait_for_last_room(acceptor->connections) ||
            (!take(acceptor) && errno != ECONNABORTED))
            return;
    }
}

static void *take_connections(void *context) {
    struct acceptor *acceptor = context;
    while (connections_wait_for_room(acceptor->connections)) {
        if (take(acceptor))
            continue;
        if (is_short_of_something(errno))
            connections_wait_for_change(acceptor->connections);
        else if (errno == EAGAIN)
            wait_for_one(acceptor);
    }
    take_queue(acceptor);
    return NULL;
}

enum status acceptor_start(int listener, struct MHD_Daemon *daemon, struct connections *connections,
                           struct acceptor **out) {
    struct acceptor *acceptor = malloc(sizeof *acceptor);
    if (acceptor == NULL)
        return STATUS_NO_MEMORY;
    *acceptor = (struct acceptor){
        .listener = listener,
        .stopping = eventfd(0, EFD_CLOEXEC),
        .daemon = daemon,
        .connections = connections,
    };
    if (acceptor->stopping < 0 ||
        pthread_create(&acceptor->thread, NULL, take_connections, acceptor) != 0) {
        if (acceptor->stopping >= 0)
            close(acceptor->stopping);
        free(acceptor);
        return STATUS_IO;
    }
    *out = acceptor;
    return STATUS_OK;
}

void acceptor_stop(struct acceptor *acceptor) {
    if (acceptor == NULL)
        return;
    eventfd_write(acceptor->stopping, 1); /* the first write to it can't fail */
    pthread_join(acceptor->thread, NULL);
    close(acceptor->listener);
    close(acceptor->stopping);
    free(acceptor);
}
