/* The floor that the real server is measured against: libmicrohttpd with the same threads and the
 * same epoll pool, reading the same body and answering the same bytes, and nothing else.
 * usage: bare_server THREADS REPLY_FILE */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char reply[65536];
static size_t reply_size;

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload_data,
                              size_t *upload_data_size, void **state) {
    static char seen;
    (void)context;
    (void)url;
    (void)method;
    (void)version;
    (void)upload_data;
    if (*state == NULL) {
        *state = &seen;
        return MHD_YES;
    }
    if (*upload_data_size > 0) {
        *upload_data_size = 0;
        return MHD_YES;
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply_size, reply, MHD_RESPMEM_PERSISTENT);
    if (response == NULL)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "application/json;charset=utf-8");
    enum MHD_Result result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

int main(int count, char **words) {
    FILE *file = count == 3 ? fopen(words[2], "rb") : NULL;
    if (file == NULL)
        return 2;
    reply_size = fread(reply, 1, sizeof reply, file);
    fclose(file);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, handle, NULL, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_THREAD_POOL_SIZE, (unsigned)strtoul(words[1], NULL, 10), MHD_OPTION_END);
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
