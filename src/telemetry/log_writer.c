#include "log_writer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PENDING_MAX = 1048576,
    GATHER_MILLISECONDS = 10,
    PATIENCE_MILLISECONDS = 500,
    NOTE_SIZE = 256,
};

struct log_writer {
    int file;
    bool is_file; /* a regular one, which never makes a writer wait */
    log_note *write_note;
    pthread_t thread;
    struct buffer writing; /* the thread's own */
    pthread_mutex_t lock;  /* guards all below */
    pthread_cond_t changed;
    bool ending;
    struct buffer pending; /* both buffers have their full size from the start */
    uint64_t dropped;      /* lines, since the last time that was said */
};

/* Writes all, or returns what is left once the file takes nothing for a while: whoever should read
 * it may have stopped, and a server that ends must not wait for that. A pipe that poll() finds
 * writable takes PIPE_BUF bytes without waiting. */
static struct bytes write_some(const struct log_writer *writer, struct bytes text) {
    while (text.size > 0) {
        struct pollfd wait = {.fd = writer->file, .events = POLLOUT};
        int ready = poll(&wait, 1, PATIENCE_MILLISECONDS);
        if (ready < 0 && errno == EINTR)
            continue;
        struct bytes piece = writer->is_file ? text : bytes_up_to(text, PIPE_BUF);
        ssize_t written = ready <= 0 ? -1 : write(writer->file, piece.data, piece.size);
        if (written < 0 && ready > 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        text = bytes_from(text, (size_t)written);
    }
    return text;
}

static uint64_t count_lines(struct bytes text) {
    uint64_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == '\n';
    return count;
}

/* Lets lines gather, unless the writer is ending. Not by the system's time, which may step back. */
static void gather(struct log_writer *writer) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += GATHER_MILLISECONDS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int result = 0;
    while (!writer->ending && result == 0)
        result = pthread_cond_clockwait(&writer->changed, &writer->lock, CLOCK_MONOTONIC, &until);
}

/* Takes what is pending over to the thread's own buffer; its lock is held. */
static void take_pending(struct log_writer *writer) {
    while (!writer->ending && writer->pending.size == 0)
        pthread_cond_wait(&writer->changed, &writer->lock);
    gather(writer);
    if (writer->dropped > 0)
        writer->write_note(&writer->pending, writer->dropped);
    writer->dropped = 0;
    struct buffer full = writer->pending;
    writer->pending = writer->writing;
    writer->writing = full;
}

static void *write_lines(void *context) {
    struct log_writer *writer = context;
    pthread_mutex_lock(&writer->lock);
    while (!writer->ending || writer->pending.size > 0) {
        take_pending(writer);
        pthread_mutex_unlock(&writer->lock);
        struct bytes text = buffer_bytes(&writer->writing);
        uint64_t lost =
            count_lines(write_some(writer, text)); /* a full disk loses lines, no more */
        buffer_clear(&writer->writing);
        pthread_mutex_lock(&writer->lock);
        writer->dropped += lost;
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* Gives a buffer its full size, so that no append can fail later. */
static bool reserve(struct buffer *buffer) {
    *buffer = buffer_new(PENDING_MAX + NOTE_SIZE);
    bool reserved = buffer_extend(buffer, PENDING_MAX + NOTE_SIZE) != NULL;
    buffer_clear(buffer);
    return reserved;
}

static void release(struct log_writer *writer) {
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->lock);
    buffer_done(&writer->pending);
    buffer_done(&writer->writing);
    free(writer);
}

enum status log_writer_new(int file, log_note *write_note, struct log_writer **out) {
    struct log_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return STATUS_NO_MEMORY;
    struct stat facts;
    writer->file = file;
    writer->is_file = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
    writer->write_note = write_note;
    pthread_mutex_init(&writer->lock, NULL); /* with default attributes neither can fail */
    pthread_cond_init(&writer->changed, NULL);
    enum status status =
        reserve(&writer->pending) && reserve(&writer->writing) ? STATUS_OK : STATUS_NO_MEMORY;
    if (status == STATUS_OK && pthread_create(&writer->thread, NULL, write_lines, writer) != 0)
        status = STATUS_IO;
    if (status == STATUS_OK)
        *out = writer;
    else
        release(writer);
    return status;
}

void log_writer_free(struct log_writer *writer) {
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->lock);
    writer->ending = true;
    pthread_cond_signal(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    pthread_join(writer->thread, NULL);
    release(writer);
}

void log_writer_append(struct log_writer *writer, struct bytes line) {
    pthread_mutex_lock(&writer->lock);
    bool was_empty = writer->pending.size == 0;
    if (line.size <= PENDING_MAX - writer->pending.size)
        buffer_append(&writer->pending, line);
    else
        writer->dropped++;
    if (was_empty)
        pthread_cond_signal(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
}
