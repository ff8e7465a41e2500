#include "interrupt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>

int interrupt_open(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    if (pthread_sigmask(SIG_BLOCK, &signals, NULL) != 0)
        return -1;
    /* Nobody ever reads it, which keeps it readable. */
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool interrupt_wait(int interrupt_file, int file) {
    struct pollfd files[] = {{.fd = file, .events = POLLIN},
                             {.fd = interrupt_file, .events = POLLIN}};
    int ready = 0;
    do {
        ready = poll(files, sizeof files / sizeof files[0], -1);
    } while (ready < 0 && errno == EINTR);
    return files[1].revents == 0;
}

bool interrupt_pause(int interrupt_file, int milliseconds) {
    struct pollfd waiting = {.fd = interrupt_file, .events = POLLIN};
    int ready = 0;
    do {
        ready = poll(&waiting, 1, milliseconds);
    } while (ready < 0 && errno == EINTR);
    return ready == 0;
}
