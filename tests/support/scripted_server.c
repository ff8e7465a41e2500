#include "scripted_server.h"

#include "buffer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MOST = 64, REQUEST_SIZE_MAX = 1048576, PATIENCE_SECONDS = 60 };

struct scripted_server {
    const struct script_step *steps;
    size_t step_count;
    int listener; /* -1 once nobody may connect */
    int stop[2];  /* a pipe: its reading end becomes readable at the stop */
    int release;  /* counts the replies that may go */
    char url[64];
    unsigned port;
    pthread_t thread;
    bool is_running;
    pthread_mutex_t lock; /* guards `read_whole` */
    pthread_cond_t changed;
    size_t read_whole;
    size_t connections; /* these are the thread's, until it ended */
    size_t played;      /* steps, and what came after the last one */
    int kept;           /* a connection for one more request, or -1 */
    struct buffer requests[CONNECTIONS_MOST];
};

/* Waits until `file` is ready; false when the stop came first. */
static bool wait_for(const struct scripted_server *server, int file, short events) {
    struct pollfd files[] = {{.fd = file, .events = events},
                             {.fd = server->stop[0], .events = POLLIN}};
    while (poll(files, 2, -1) < 0 && errno == EINTR)
        ;
    return files[1].revents == 0;
}

static size_t declared_length(const char *head) {
    const char *field = strcasestr(head, "\r\ncontent-length:");
    return field == NULL ? 0 : strtoul(field + strlen("\r\ncontent-length:"), NULL, 10);
}

/* True when the text, which has a NUL behind, is a whole request. */
static bool is_whole(const struct buffer *request) {
    const char *head = (const char *)request->data;
    const char *end = head == NULL ? NULL : strstr(head, "\r\n\r\n");
    return end != NULL && request->size >= (size_t)(end - head) + 4 + declared_length(head);
}

/* Appends, with a NUL behind that isn't counted. */
static void keep(struct buffer *request, const unsigned char *data, size_t size) {
    buffer_append(request, (struct bytes){data, size});
    buffer_append_byte(request, '\0');
    request->size--;
}

static bool read_request(struct scripted_server *server, int connection, struct buffer *request) {
    unsigned char piece[4096];
    while (!is_whole(request)) {
        if (!wait_for(server, connection, POLLIN))
            return false;
        ssize_t got = recv(connection, piece, sizeof piece, 0);
        if (got <= 0)
            return false;
        keep(request, piece, (size_t)got);
    }
    pthread_mutex_lock(&server->lock);
    server->read_whole++;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    return true;
}

static void send_text(const struct scripted_server *server, int connection, struct bytes rest,
                      bool is_in_pieces) {
    while (rest.size > 0 && wait_for(server, connection, POLLOUT)) {
        ssize_t sent =
            send(connection, rest.data, is_in_pieces ? 1 : rest.size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0)
            return;
        rest = bytes_from(rest, (size_t)sent);
    }
}

/* Closes in a way that lets the client read all that was sent. */
static void close_gently(const struct scripted_server *server, int connection) {
    unsigned char piece[4096];
    shutdown(connection, SHUT_WR);
    while (wait_for(server, connection, POLLIN) && recv(connection, piece, sizeof piece, 0) > 0)
        ;
}

static void nest(struct scripted_server *server, int connection, struct bytes rest);

static void end(struct scripted_server *server, int connection, const struct script_step *step) {
    const struct linger hard = {.l_onoff = 1, .l_linger = 0};
    switch (step->end) {
    case SCRIPT_CLOSE:
        close_gently(server, connection);
        break;
    case SCRIPT_RESET:
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        break;
    case SCRIPT_KEEP:
        server->kept = connection;
        return;
    case SCRIPT_NEST:
        nest(server, connection, step->rest);
        break;
    case SCRIPT_HOLD:
        wait_for(server, -1, 0);
        break;
    }
    close(connection);
}

static void play(struct scripted_server *server, int connection) {
    static const struct script_step nothing = {.reads_nothing = true};
    size_t index = server->played++;
    const struct script_step *step = index < server->step_count ? &server->steps[index] : &nothing;
    struct buffer *request = &server->requests[index < CONNECTIONS_MOST ? index : 0];
    const int yes = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (!step->reads_nothing && !read_request(server, connection, request)) {
        close(connection);
        return;
    }
    if (step->is_last) {
        close(server->listener);
        server->listener = -1;
    }
    uint64_t released = 0;
    if (step->is_held_back && wait_for(server, server->release, POLLIN) &&
        read(server->release, &released, sizeof released) < 0)
        perror("release");
    send_text(server, connection, step->reply, step->is_in_pieces);
    end(server, connection, step);
}

/* Waits for a connection, or for more on the one that was kept. -1 at the stop. */
static int next_connection(struct scripted_server *server) {
    struct pollfd files[] = {{.fd = server->listener, .events = POLLIN},
                             {.fd = server->kept, .events = POLLIN},
                             {.fd = server->stop[0], .events = POLLIN}};
    while (poll(files, 3, -1) < 0 && errno == EINTR)
        ;
    if (files[2].revents != 0)
        return -1;
    if (files[1].revents != 0) {
        int kept = server->kept;
        server->kept = -1;
        return kept;
    }
    server->connections++;
    return accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
}

static void nest(struct scripted_server *server, int connection, struct bytes rest) {
    int other = next_connection(server);
    if (other >= 0)
        play(server, other);
    send_text(server, connection, rest, false);
    close_gently(server, connection);
}

/* True when the peer only closed it. */
static bool is_closed(int connection) {
    unsigned char byte = 0;
    return recv(connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void *serve(void *context) {
    struct scripted_server *server = context;
    for (;;) {
        int connection = next_connection(server);
        if (connection < 0)
            return NULL;
        if (is_closed(connection))
            close(connection);
        else
            play(server, connection);
    }
}

static bool listen_on(struct scripted_server *server, int family) {
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address = {.any = {.sa_family = (sa_family_t)family}};
    socklen_t size = family == AF_INET ? sizeof address.four : sizeof address.six;
    if (family == AF_INET)
        address.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        address.six.sin6_addr = in6addr_loopback;
    server->listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->listener < 0 || bind(server->listener, &address.any, size) != 0 ||
        listen(server->listener, CONNECTIONS_MOST) != 0 ||
        getsockname(server->listener, &address.any, &size) != 0)
        return false;
    server->port = ntohs(family == AF_INET ? address.four.sin_port : address.six.sin6_port);
    snprintf(server->url, sizeof server->url, "http://%s:%u",
             family == AF_INET ? "127.0.0.1" : "[::1]", server->port);
    return true;
}

static struct scripted_server *start(int family, const struct script_step *steps, size_t count) {
    struct scripted_server *server = malloc(sizeof *server);
    if (server == NULL)
        return NULL;
    *server = (struct scripted_server){.steps = steps,
                                       .step_count = count,
                                       .listener = -1,
                                       .kept = -1,
                                       .stop = {-1, -1},
                                       .release = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE)};
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->changed, NULL);
    for (size_t i = 0; i < CONNECTIONS_MOST; i++)
        server->requests[i] = buffer_new(REQUEST_SIZE_MAX);
    server->is_running = listen_on(server, family) && pipe2(server->stop, O_CLOEXEC) == 0 &&
                         pthread_create(&server->thread, NULL, serve, server) == 0;
    if (server->is_running)
        return server;
    scripted_server_free(server);
    return NULL;
}

struct scripted_server *scripted_server_start(const struct script_step *steps, size_t count) {
    return start(AF_INET, steps, count);
}

struct scripted_server *scripted_server_start_v6(const struct script_step *steps, size_t count) {
    return start(AF_INET6, steps, count);
}

const char *scripted_server_url(const struct scripted_server *server) {
    return server->url;
}

unsigned scripted_server_port(const struct scripted_server *server) {
    return server->port;
}

bool scripted_server_wait(struct scripted_server *server, size_t count) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_SECONDS;
    int result = 0;
    pthread_mutex_lock(&server->lock);
    while (server->read_whole < count && result == 0)
        result = pthread_cond_timedwait(&server->changed, &server->lock, &until);
    bool came = server->read_whole >= count;
    pthread_mutex_unlock(&server->lock);
    return came;
}

void scripted_server_release(struct scripted_server *server) {
    const uint64_t one = 1;
    if (write(server->release, &one, sizeof one) < 0)
        perror("release");
}

void scripted_server_stop(struct scripted_server *server) {
    if (!server->is_running)
        return;
    close(server->stop[1]);
    server->stop[1] = -1;
    pthread_join(server->thread, NULL);
    server->is_running = false;
    /* Whoever connected meanwhile counts too. */
    int connection = -1;
    while (server->listener >= 0 &&
           (connection = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        server->connections++;
        close(connection);
    }
}

size_t scripted_server_connections(const struct scripted_server *server) {
    return server->connections;
}

size_t scripted_server_requests(const struct scripted_server *server) {
    return server->played;
}

struct bytes scripted_server_request(const struct scripted_server *server, size_t index) {
    return index < CONNECTIONS_MOST ? buffer_bytes(&server->requests[index]) : BYTES("");
}

struct bytes scripted_server_body(const struct scripted_server *server, size_t index) {
    struct bytes request = scripted_server_request(server, index);
    const char *end = request.size == 0 ? NULL : strstr((const char *)request.data, "\r\n\r\n");
    if (end == NULL)
        return BYTES("");
    return bytes_from(request, (size_t)(end - (const char *)request.data) + 4);
}

void scripted_server_free(struct scripted_server *server) {
    if (server == NULL)
        return;
    scripted_server_stop(server);
    const int files[] = {server->listener, server->kept};
    for (size_t i = 0; i < 2; i++)
        if (files[i] >= 0)
            close(files[i]);
    for (size_t i = 0; i < 2; i++)
        if (server->stop[i] >= 0)
            close(server->stop[i]);
    close(server->release);
    for (size_t i = 0; i < CONNECTIONS_MOST; i++)
        buffer_done(&server->requests[i]);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
