#include "log_writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PENDING_MAX = 1048576, GATHER_MILLISECONDS = 10, NOTE_SIZE = 256 };

struct log_writer {
    int file;
    log_note *write_note;
    pthread_t thread;
    struct buffer writing; /* the thread's own */
    pthread_mutex_t lock;  /* guards all below */
    pthread_cond_t changed;
    bool ending;
    struct buffer pending; /* both buffers have their full size from the start */
    uint64_t dropped;      /* lines, since the last time that was said */
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
        /* A full disk loses lines, no more; all of them count as lost. */
        uint64_t lost = write_all(writer->file, text) ? 0 : count_lines(text);
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
    writer->file = file;
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
