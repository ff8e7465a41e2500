#include "interrupt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { EXIT_OF_SIGNAL = 128 }; /* and its number, as shells have it */

static const int all[] = {SIGINT, SIGTERM, SIGHUP};
enum { ALL_COUNT = sizeof all / sizeof all[0] };

static bool is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int interrupt_open(const int *signals) {
    sigset_t set;
    sigemptyset(&set);
    for (; *signals != 0; signals++)
        if (*signals == SIGINT || !is_ignored(*signals))
            sigaddset(&set, *signals);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0)
        return -1;
    /* Nobody reads it before the end, which keeps it readable, and the signal pending. */
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void interrupt_close(int interrupt_file) {
    struct signalfd_siginfo came;
    while (read(interrupt_file, &came, sizeof came) == sizeof came)
        continue;
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < ALL_COUNT; i++)
        sigaddset(&set, all[i]);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    close(interrupt_file);
}

int interrupt_exit_code(void) {
    sigset_t pending;
    if (sigpending(&pending) == 0)
        for (size_t i = 0; i < ALL_COUNT; i++)
            if (sigismember(&pending, all[i]) == 1)
                return EXIT_OF_SIGNAL + all[i];
    return EXIT_OF_SIGNAL + SIGINT;
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
