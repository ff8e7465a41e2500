#include "childprocess.h"

#include "buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SEND_SIZE_MAX = 67108864, PIECE_SIZE = 65536, WAIT_MOST = 3600000 };

struct childprocess {
    struct childprocess_config config;
    pid_t pid;
    int pid_file; /* readable once it has ended; or -1 */
    int in;       /* our ends; -1 once closed */
    int out;
    int error;
    struct buffer waiting; /* to be sent */
    size_t sent;           /* of it */
    struct buffer read;    /* lines that were read, and the beginning of the next one */
    size_t taken;          /* of it */
    bool is_ended;         /* no more is to be read */
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void close_end(int *end) {
    if (*end >= 0)
        close(*end);
    *end = -1;
}

/* A pipe whose end on this side doesn't block. */
static bool make_pipe(int ends[2], int ours) {
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    if (fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0)
        return true;
    close(ends[0]);
    close(ends[1]);
    ends[0] = ends[1] = -1;
    return false;
}

/* The signals that this process blocks and ignores are the child's to choose again. */
static int prepare(posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions,
                   const int theirs[3]) {
    sigset_t none;
    sigset_t pipe;
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigaddset(&pipe, SIGINT);
    int error = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (error == 0)
        error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0)
        error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0)
        error = posix_spawnattr_setsigdefault(attributes, &pipe);
    for (int i = 0; i < 3 && error == 0; i++)
        error = posix_spawn_file_actions_adddup2(actions, theirs[i], i);
    return error == 0 ? posix_spawn_file_actions_addclosefrom_np(actions, 3) : error;
}

static int spawn(const char *const *words, const int theirs[3], pid_t *pid) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int error = posix_spawnattr_init(&attributes);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = prepare(&attributes, &actions, theirs);
        if (error == 0)
            error = posix_spawnp(pid, words[0], &actions, &attributes,
                                 (char *const *)(uintptr_t)words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Makes the pipes and starts the program. Returns 0 or the system's error. */
static int start(struct childprocess *child) {
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    int error[2] = {-1, -1};
    int failure = 0;
    if (!make_pipe(in, 1) || !make_pipe(out, 0) || !make_pipe(error, 0))
        failure = errno;
    if (failure == 0)
        failure = spawn(child->config.words, (const int[]){in[0], out[1], error[1]}, &child->pid);
    close_end(&in[0]);
    close_end(&out[1]);
    close_end(&error[1]);
    child->in = in[1];
    child->out = out[0];
    child->error = error[0];
    if (failure == 0)
        child->pid_file = pidfd_open(child->pid, 0);
    return failure;
}

static void release(struct childprocess *child) {
    close_end(&child->in);
    close_end(&child->out);
    close_end(&child->error);
    close_end(&child->pid_file);
    buffer_done(&child->waiting);
    buffer_done(&child->read);
    free(child);
}

enum status childprocess_start(const struct childprocess_config *config, struct childprocess **out,
                               int *error) {
    struct childprocess *child = malloc(sizeof *child);
    if (child == NULL)
        return STATUS_NO_MEMORY;
    *child = (struct childprocess){
        .config = *config,
        .pid_file = -1,
        .in = -1,
        .out = -1,
        .error = -1,
        .waiting = buffer_new(SEND_SIZE_MAX),
        .read = buffer_new(config->line_size_max + PIECE_SIZE),
    };
    *error = start(child);
    if (*error != 0) {
        release(child);
        return STATUS_IO;
    }
    *out = child;
    return STATUS_OK;
}

enum status childprocess_send(struct childprocess *child, struct bytes line) {
    if (child->sent == child->waiting.size) {
        buffer_clear(&child->waiting);
        child->sent = 0;
    }
    buffer_append(&child->waiting, line);
    buffer_append_byte(&child->waiting, '\n');
    return child->waiting.status;
}

bool childprocess_next(struct childprocess *child, struct bytes *line) {
    struct bytes rest = bytes_from(buffer_bytes(&child->read), child->taken);
    size_t size = bytes_find(rest, '\n');
    if (size == rest.size)
        return false;
    child->taken += size + 1;
    *line = bytes_up_to(rest, size);
    if (line->size > 0 && line->data[line->size - 1] == '\r')
        line->size--;
    return true;
}

/* Writes what the program takes now. */
static void write_some(struct childprocess *child) {
    struct bytes rest = bytes_from(buffer_bytes(&child->waiting), child->sent);
    ssize_t written = write(child->in, rest.data, rest.size);
    if (written > 0)
        child->sent += (size_t)written;
    else if (written < 0 && errno != EAGAIN && errno != EINTR)
        close_end(&child->in);
}

/* One read, so that a flood can't keep the rest from its turn. */
static void read_error_output(struct childprocess *child) {
    unsigned char piece[PIECE_SIZE];
    ssize_t got = read(child->error, piece, sizeof piece);
    if (got > 0 && child->config.on_error_output != NULL)
        child->config.on_error_output(child->config.context, (struct bytes){piece, (size_t)got});
    else if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        close_end(&child->error);
}

/* One read, which the buffer has room for as long as no whole line is in it. False when the line
 * goes over the limit. */
static bool read_output(struct childprocess *child) {
    if (child->taken > 0) {
        child->read.size -= child->taken;
        memmove(child->read.data, child->read.data + child->taken, child->read.size);
        child->taken = 0;
    }
    unsigned char piece[PIECE_SIZE];
    ssize_t got = read(child->out, piece, sizeof piece);
    if (got > 0)
        buffer_append(&child->read, (struct bytes){piece, (size_t)got});
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        child->is_ended = true;
    if (child->read.status != STATUS_OK)
        return false;
    return child->read.size <= child->config.line_size_max ||
           bytes_find(buffer_bytes(&child->read), '\n') < child->read.size;
}

enum { END_IN, END_OUT, END_ERROR, END_INTERRUPT, END_COUNT };

/* Waits until something is to be done, and does it. True when `event` says what came of it. */
static bool serve(struct childprocess *child, int milliseconds, enum childprocess_event *event) {
    bool has_more = child->sent < child->waiting.size;
    struct pollfd ends[END_COUNT] = {
        [END_IN] = {.fd = has_more ? child->in : -1, .events = POLLOUT},
        [END_OUT] = {.fd = child->out, .events = POLLIN},
        [END_ERROR] = {.fd = child->error, .events = POLLIN},
        [END_INTERRUPT] = {.fd = child->config.interrupt_file, .events = POLLIN},
    };
    int ready = poll(ends, END_COUNT, milliseconds);
    if (ready <= 0)
        return false;
    if (ends[END_INTERRUPT].revents != 0) {
        *event = CHILDPROCESS_INTERRUPTED;
        return true;
    }
    if (ends[END_ERROR].revents != 0)
        read_error_output(child);
    if (ends[END_IN].revents != 0)
        write_some(child);
    if (ends[END_OUT].revents == 0)
        return false;
    *event = read_output(child) ? CHILDPROCESS_LINE : CHILDPROCESS_TOO_LONG;
    return true;
}

enum childprocess_event childprocess_wait(struct childprocess *child, int64_t milliseconds,
                                          struct bytes *line) {
    int64_t deadline = now() + milliseconds;
    for (;;) {
        if (childprocess_next(child, line))
            return CHILDPROCESS_LINE;
        if (child->is_ended)
            return CHILDPROCESS_ENDED;
        int64_t left = deadline - now();
        if (left <= 0)
            return CHILDPROCESS_TIMEOUT;
        enum childprocess_event event = CHILDPROCESS_LINE;
        if (serve(child, (int)(left < WAIT_MOST ? left : WAIT_MOST), &event) &&
            event != CHILDPROCESS_LINE)
            return event;
    }
}

/* Drains what the program still writes, so that it can end, until it has or the time is over. */
static bool wait_for_end(struct childprocess *child, int64_t grace) {
    int64_t deadline = now() + grace;
    unsigned char piece[PIECE_SIZE];
    for (int64_t left = grace; left > 0; left = deadline - now()) {
        struct pollfd ends[] = {{.fd = child->pid_file, .events = POLLIN},
                                {.fd = child->out, .events = POLLIN},
                                {.fd = child->error, .events = POLLIN}};
        if (poll(ends, 3, (int)left) < 0 && errno != EINTR)
            return false;
        if (ends[0].revents != 0)
            return true;
        if (ends[1].revents != 0 && read(child->out, piece, sizeof piece) <= 0)
            close_end(&child->out);
        if (ends[2].revents != 0)
            read_error_output(child);
    }
    return false;
}

int childprocess_end(struct childprocess *child, int64_t grace) {
    if (child == NULL)
        return 0;
    close_end(&child->in);
    bool has_ended = wait_for_end(child, grace);
    if (!has_ended) {
        kill(-child->pid, SIGTERM);
        has_ended = wait_for_end(child, grace);
    }
    if (!has_ended) {
        kill(-child->pid, SIGKILL);
        kill(child->pid, SIGKILL); /* which may have gone to another group */
    }
    /* Not reaped yet, so the group's number can't be another's. */
    siginfo_t facts;
    while (waitid(P_PID, (id_t)child->pid, &facts, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    kill(-child->pid, SIGTERM);
    if (child->error >= 0)
        read_error_output(child);
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    release(child);
    return status;
}
