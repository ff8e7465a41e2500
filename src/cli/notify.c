#include "notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void notify(const char *state) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL || path[0] == '\0' || strlen(path) >= sizeof address.sun_path)
        return;
    size_t size = strlen(path);
    memcpy(address.sun_path, path, size);
    if (path[0] == '@') /* an abstract address, which begins with a NUL instead */
        address.sun_path[0] = '\0';
    int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sender < 0)
        return;
    socklen_t address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    sendto(sender, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
           (const struct sockaddr *)&address, address_size);
    close(sender);
}

void notify_ready(void) {
    notify("READY=1");
}

void notify_reloading(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    char state[64];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%lld",
             (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    notify(state);
}

void notify_stopping(void) {
    notify("STOPPING=1");
}
