#include "deadline.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

static int64_t monotonic_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct deadline deadline_in(int milliseconds) {
    return (struct deadline){monotonic_milliseconds() + milliseconds};
}

int deadline_left(struct deadline deadline) {
    int64_t left = deadline.at - monotonic_milliseconds();
    return left < 0 ? 0 : (int)left;
}

static bool wait_for(struct deadline deadline, int descriptor, short events) {
    for (;;) {
        struct pollfd wanted = {.fd = descriptor, .events = events};
        int ready = poll(&wanted, 1, deadline_left(deadline));
        if (ready >= 0 || errno != EINTR)
            return ready > 0;
    }
}

bool deadline_wait_readable(struct deadline deadline, int descriptor) {
    return wait_for(deadline, descriptor, POLLIN);
}

bool deadline_wait_writable(struct deadline deadline, int descriptor) {
    return wait_for(deadline, descriptor, POLLOUT);
}
