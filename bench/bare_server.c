/* The floor that the real server is measured against: libmicrohttpd with the same threads, the same
 * epoll pool and as much memory for a connection, reading the same bodies and answering the same
 * bytes, and nothing else.
 *
 * usage: bare_server THREADS REPLY_ONE REPLY_TWO BODY_SIZE
 *
 * The first file answers bodies of BODY_SIZE bytes, the second one those that are longer. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPLY_SIZE_MAX = 65536, BODY_SIZE_MAX = 65536, CONNECTION_MEMORY = 16384 };

struct reply {
    size_t size;
    char bytes[REPLY_SIZE_MAX];
};

static struct reply replies[2];
static size_t body_size_one;

static enum MHD_Result answer(struct MHD_Connection *connection, struct reply *reply) {
    static const char *const headers[][2] = {
        {"Content-Type", "application/json;charset=utf-8"},
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Request-Id", "0123456789abcdef"},
    };
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply->size, reply->bytes, MHD_RESPMEM_PERSISTENT);
    if (response == NULL)
        return MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

/* All that is kept of a request is how far its body has come: as a pointer into this, which is
 * never followed. */
static char progress[BODY_SIZE_MAX];

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload_data,
                              size_t *upload_data_size, void **state) {
    (void)context;
    (void)url;
    (void)method;
    (void)version;
    (void)upload_data;
    if (*state == NULL) {
        *state = progress;
        return MHD_YES;
    }
    size_t so_far = (size_t)((char *)*state - progress);
    if (*upload_data_size > 0) {
        if (*upload_data_size >= sizeof progress - so_far)
            return MHD_NO;
        *state = progress + so_far + *upload_data_size;
        *upload_data_size = 0;
        return MHD_YES;
    }
    return answer(connection, &replies[so_far > body_size_one]);
}

static bool read_reply(const char *path, struct reply *reply) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    reply->size = fread(reply->bytes, 1, sizeof reply->bytes, file);
    fclose(file);
    return reply->size > 0;
}

int main(int count, char **words) {
    if (count != 5 || !read_reply(words[2], &replies[0]) || !read_reply(words[3], &replies[1])) {
        fprintf(stderr, "usage: bare_server THREADS REPLY_ONE REPLY_TWO BODY_SIZE\n");
        return 2;
    }
    body_size_one = strtoul(words[4], NULL, 10);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, handle, NULL, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_THREAD_POOL_SIZE, (unsigned)strtoul(words[1], NULL, 10),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_END);
    if (daemon == NULL)
        return 1;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    printf("listening on http://127.0.0.1:%d\n", info->port);
    fflush(stdout);
    int got;
    sigwait(&signals, &got);
    MHD_stop_daemon(daemon);
    return 0;
}
