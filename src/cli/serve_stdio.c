#include "serve_stdio.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum {
    PIECE_SIZE = 65536,
    WRITTEN_MOST = 4096, /* at once: what a pipe that has room takes without blocking */
    PATIENCE = 1000,     /* milliseconds, at the end, with a reader that takes nothing */
};

struct stdio {
    const struct stdio_config *config;
    struct buffer line; /* the one that is being read */
    bool is_skipping;   /* the rest of one that is too long */
    bool has_failed;
    atomic_bool is_ending; /* a signal asked for it */
    pthread_mutex_t lock;  /* guards those below, and the output */
    pthread_cond_t changed;
    size_t under_way;
    bool is_unread; /* nobody takes the output any more */
};

/* One message, until its reply is written. */
struct exchange {
    struct stdio *stdio;
    struct buffer message;
    int64_t began; /* monotonic microseconds */
};

static int64_t monotonic_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Takes a signal, when there still is one. */
static void take_signal(struct stdio *stdio) {
    struct signalfd_siginfo got;
    if (read(stdio->config->signals, &got, sizeof got) != sizeof got)
        return;
    if (got.ssi_signo == SIGHUP)
        stdio->config->reload(stdio->config->context);
    else
        atomic_store(&stdio->is_ending, true);
}

/* Waits until the output takes something. Signals are looked at meanwhile, as the main thread may
 * be the one that waits, here or for the lock. False when an end is asked for, or another signal
 * after that, and nobody reads. */
static bool wait_for_room(struct stdio *stdio) {
    for (;;) {
        struct pollfd files[] = {{.fd = STDOUT_FILENO, .events = POLLOUT},
                                 {.fd = stdio->config->signals, .events = POLLIN}};
        bool was_ending = atomic_load(&stdio->is_ending);
        int ready = poll(files, sizeof files / sizeof files[0], PATIENCE);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready > 0 && files[0].revents != 0)
            return true;
        if (ready > 0)
            take_signal(stdio);
        if (was_ending && ready >= 0)
            return false;
    }
}

static bool write_all(struct stdio *stdio, struct bytes text) {
    while (text.size > 0) {
        if (!wait_for_room(stdio))
            return false;
        ssize_t written = write(STDOUT_FILENO, text.data, bytes_up_to(text, WRITTEN_MOST).size);
        if (written < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (written <= 0)
            return false;
        text = bytes_from(text, (size_t)written);
    }
    return true;
}

/* Writes a reply's line; its lock is held, so that lines don't mix. */
static void write_line(struct stdio *stdio, struct buffer *body) {
    buffer_append_byte(body, '\n');
    if (body->status == STATUS_OK && !stdio->is_unread && !write_all(stdio, buffer_bytes(body)))
        stdio->is_unread = true;
}

static void observe(const struct stdio *stdio, const struct mcp_reply *reply, int64_t began) {
    const struct http_facts facts = {.route = "stdio",
                                     .method = "-",
                                     .status = reply->status,
                                     .refusal = reply->refusal,
                                     .note = reply->note,
                                     .tool = reply->tool,
                                     .request_id = "-",
                                     .microseconds = monotonic_microseconds() - began};
    stdio->config->observe(stdio->config->context, &facts);
}

static void take_reply(void *context, struct mcp_reply *reply) {
    struct exchange *exchange = context;
    struct stdio *stdio = exchange->stdio;
    observe(stdio, reply, exchange->began);
    pthread_mutex_lock(&stdio->lock);
    if (reply->body.size > 0)
        write_line(stdio, &reply->body);
    stdio->under_way--;
    pthread_cond_signal(&stdio->changed);
    pthread_mutex_unlock(&stdio->lock);
    buffer_done(&reply->body);
    buffer_done(&exchange->message);
    free(exchange);
}

/* Refuses a line that couldn't be kept whole. */
static void refuse_line(struct stdio *stdio, bool is_too_long) {
    enum refusal refusal = is_too_long ? REFUSAL_TOO_LARGE : REFUSAL_UNAVAILABLE;
    struct mcp_reply reply = {
        .status = refusal_row(refusal)->status, .refusal = refusal, .body = buffer_new(PIECE_SIZE)};
    mcp_error_write(&reply.body, is_too_long ? MCP_INVALID_REQUEST : MCP_INTERNAL_ERROR,
                    is_too_long ? "the message is over the limit: see --max-body"
                                : refusal_row(refusal)->reason);
    observe(stdio, &reply, monotonic_microseconds());
    pthread_mutex_lock(&stdio->lock);
    write_line(stdio, &reply.body);
    pthread_mutex_unlock(&stdio->lock);
    buffer_done(&reply.body);
}

/* Answers the line that was read, which goes over to its exchange. */
static void answer_line(struct stdio *stdio) {
    struct exchange *exchange =
        bytes_trimmed(buffer_bytes(&stdio->line)).size == 0 ? NULL : calloc(1, sizeof *exchange);
    if (exchange == NULL)
        return buffer_clear(&stdio->line);
    exchange->stdio = stdio;
    exchange->message = stdio->line;
    exchange->began = monotonic_microseconds();
    stdio->line = buffer_new(stdio->config->line_size_max);
    pthread_mutex_lock(&stdio->lock);
    stdio->under_way++;
    pthread_mutex_unlock(&stdio->lock);
    mcp_answer(stdio->config->server, buffer_bytes(&exchange->message), NULL, take_reply, exchange);
}

static void end_line(struct stdio *stdio) {
    if (!stdio->is_skipping)
        answer_line(stdio);
    stdio->is_skipping = false;
}

static void add_to_line(struct stdio *stdio, struct bytes piece) {
    if (stdio->is_skipping)
        return;
    buffer_append(&stdio->line, piece);
    if (stdio->line.status == STATUS_OK)
        return;
    bool is_too_long = stdio->line.status == STATUS_LIMIT;
    stdio->is_skipping = true;
    buffer_done(&stdio->line);
    stdio->line = buffer_new(stdio->config->line_size_max);
    refuse_line(stdio, is_too_long);
}

static void take_piece(struct stdio *stdio, struct bytes piece) {
    while (piece.size > 0) {
        size_t size = bytes_find(piece, '\n');
        add_to_line(stdio, bytes_up_to(piece, size));
        if (size < piece.size)
            end_line(stdio);
        piece = bytes_from(piece, size + 1);
    }
}

/* Reads what there is. False at the input's end. */
static bool read_piece(struct stdio *stdio) {
    unsigned char piece[PIECE_SIZE];
    ssize_t size = read(STDIN_FILENO, piece, sizeof piece);
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    stdio->has_failed |= size < 0;
    if (size > 0)
        take_piece(stdio, (struct bytes){piece, (size_t)size});
    else if (size == 0)
        end_line(stdio); /* the last line may end with the input */
    return size > 0;
}

static bool is_unread(struct stdio *stdio) {
    pthread_mutex_lock(&stdio->lock);
    bool is_unread = stdio->is_unread;
    pthread_mutex_unlock(&stdio->lock);
    return is_unread;
}

/* Waits for what comes first, and takes it. False when that is an end. */
static bool take_next(struct stdio *stdio) {
    struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = stdio->config->signals, .events = POLLIN},
                             {.fd = STDOUT_FILENO}};
    if (poll(files, sizeof files / sizeof files[0], -1) < 0)
        return errno == EINTR;
    if (files[2].revents != 0 || is_unread(stdio)) {
        stdio->has_failed = true;
        return false;
    }
    if (files[1].revents != 0)
        take_signal(stdio);
    else if (!read_piece(stdio))
        return false;
    return !atomic_load(&stdio->is_ending);
}

bool stdio_serve(const struct stdio_config *config) {
    struct stdio stdio = {.config = config, .line = buffer_new(config->line_size_max)};
    pthread_mutex_init(&stdio.lock, NULL); /* with default attributes neither can fail */
    pthread_cond_init(&stdio.changed, NULL);
    while (take_next(&stdio))
        continue;
    pthread_mutex_lock(&stdio.lock);
    while (stdio.under_way > 0)
        pthread_cond_wait(&stdio.changed, &stdio.lock);
    stdio.has_failed |= stdio.is_unread;
    pthread_mutex_unlock(&stdio.lock);
    pthread_cond_destroy(&stdio.changed);
    pthread_mutex_destroy(&stdio.lock);
    buffer_done(&stdio.line);
    return !stdio.has_failed;
}
