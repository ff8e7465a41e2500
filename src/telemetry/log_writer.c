#include "log_writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PENDING_MAX = 1048576, GATHER_MILLISECONDS = 10 };

struct log_writer {
    int file;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    bool ending;
    struct buffer pending;
    uint64_t dropped; /* lines, since the last time that was said */
};

static bool write_all(int file, struct bytes text) {
    while (text.size > 0) {
        ssize_t written = write(file, text.data, text.size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text = bytes_from(text, (size_t)written);
    }
    return true;
}

/* Lets lines gather, unless the writer is ending. */
static void gather(struct log_writer *writer) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += GATHER_MILLISECONDS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int result = 0;
    while (!writer->ending && result == 0)
        result = pthread_cond_timedwait(&writer->changed, &writer->lock, &until);
}

static void say_what_was_dropped(struct log_writer *writer) {
    if (writer->dropped == 0)
        return;
    buffer_append(&writer->pending, BYTES("level=error msg=\"log lines dropped\" count="));
    buffer_append_integer(&writer->pending, (int64_t)writer->dropped);
    buffer_append_byte(&writer->pending, '\n');
    writer->dropped = 0;
}

static void *write_lines(void *context) {
    struct log_writer *writer = context;
    struct buffer writing = buffer_new(PENDING_MAX + 256);
    pthread_mutex_lock(&writer->lock);
    while (!writer->ending || writer->pending.size > 0) {
        while (!writer->ending && writer->pending.size == 0)
            pthread_cond_wait(&writer->changed, &writer->lock);
        gather(writer);
        say_what_was_dropped(writer);
        struct buffer full = writer->pending;
        writer->pending = writing;
        writing = full;
        pthread_mutex_unlock(&writer->lock);
        write_all(writer->file, buffer_bytes(&writing)); /* a full disk loses lines, no more */
        buffer_clear(&writing);
        pthread_mutex_lock(&writer->lock);
    }
    pthread_mutex_unlock(&writer->lock);
    buffer_done(&writing);
    return NULL;
}

enum status log_writer_new(int file, struct log_writer **out) {
    struct log_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return STATUS_NO_MEMORY;
    writer->file = file;
    writer->pending = buffer_new(PENDING_MAX + 256);
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->changed, NULL);
    if (pthread_create(&writer->thread, NULL, write_lines, writer) != 0) {
        free(writer);
        return STATUS_IO;
    }
    *out = writer;
    return STATUS_OK;
}

void log_writer_free(struct log_writer *writer) {
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->lock);
    writer->ending = true;
    pthread_cond_signal(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->lock);
    buffer_done(&writer->pending);
    free(writer);
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
