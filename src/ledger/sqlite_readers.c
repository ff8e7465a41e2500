#include "sqlite_readers.h"

#include "sqlite_schema.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A worker waits here, so only for so many milliseconds: whoever isn't told offers all slots. */
enum { IDLE_MOST = 8, PATIENCE = 20 };

struct reader {
    sqlite3 *database;
    sqlite3_stmt *find;
    unsigned generation; /* of the files that it has open */
};

struct sqlite_readers {
    char path[LEDGER_PATH_SIZE];
    pthread_mutex_t lock; /* guards what follows */
    unsigned generation;
    size_t idle_count;
    struct reader idle[IDLE_MOST];
};

enum status sqlite_readers_new(const char *path, struct sqlite_readers **out) {
    struct sqlite_readers *readers = calloc(1, sizeof *readers);
    if (readers == NULL)
        return STATUS_NO_MEMORY;
    snprintf(readers->path, sizeof readers->path, "%s", path);
    pthread_mutex_init(&readers->lock, NULL);
    *out = readers;
    return STATUS_OK;
}

static void close_reader(struct reader *reader) {
    sqlite3_finalize(reader->find);
    sqlite3_close(reader->database);
}

void sqlite_readers_free(struct sqlite_readers *readers) {
    if (readers == NULL)
        return;
    for (size_t i = 0; i < readers->idle_count; i++)
        close_reader(&readers->idle[i]);
    pthread_mutex_destroy(&readers->lock);
    free(readers);
}

void sqlite_readers_renew(struct sqlite_readers *readers) {
    pthread_mutex_lock(&readers->lock);
    readers->generation++;
    while (readers->idle_count > 0)
        close_reader(&readers->idle[--readers->idle_count]);
    pthread_mutex_unlock(&readers->lock);
}

static enum status open_reader(const char *path, unsigned generation, struct reader *reader) {
    struct ledger_problem problem;
    struct reader opened = {.generation = generation};
    enum status status = sqlite_open(path, PATIENCE, true, &opened.database, &problem);
    if (status == STATUS_OK)
        status = sqlite_prepare(opened.database, SQLITE_FIND_STANDING, &opened.find);
    if (status != STATUS_OK) {
        close_reader(&opened);
        return status;
    }
    *reader = opened;
    return STATUS_OK;
}

static enum status take_reader(struct sqlite_readers *readers, struct reader *reader) {
    pthread_mutex_lock(&readers->lock);
    unsigned generation = readers->generation;
    bool has_idle = readers->idle_count > 0;
    if (has_idle)
        *reader = readers->idle[--readers->idle_count];
    pthread_mutex_unlock(&readers->lock);
    return has_idle ? STATUS_OK : open_reader(readers->path, generation, reader);
}

static void give_back(struct sqlite_readers *readers, struct reader *reader) {
    pthread_mutex_lock(&readers->lock);
    bool is_kept = readers->idle_count < IDLE_MOST && reader->generation == readers->generation;
    if (is_kept)
        readers->idle[readers->idle_count++] = *reader;
    pthread_mutex_unlock(&readers->lock);
    if (!is_kept)
        close_reader(reader);
}

static enum status find_one(sqlite3_stmt *find, struct bytes slot, bool *taken) {
    sqlite_bind_bytes(find, 2, slot);
    int result = sqlite3_step(find);
    *taken = result == SQLITE_ROW;
    sqlite3_reset(find);
    return sqlite_status(result);
}

/* All in one transaction, so that they are of one moment. */
static enum status find_all(const struct reader *reader, struct bytes salon,
                            const struct bytes *slots, size_t count, bool *found) {
    enum status status = sqlite_run(reader->database, "BEGIN");
    sqlite_bind_bytes(reader->find, 1, salon);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = find_one(reader->find, slots[i], &found[i]);
    sqlite3_clear_bindings(reader->find);
    if (status == STATUS_OK)
        status = sqlite_run(reader->database, "COMMIT");
    return status;
}

enum status sqlite_readers_find_taken(struct sqlite_readers *readers, struct bytes salon,
                                      const struct bytes *slots, size_t count, bool *taken) {
    bool *found = malloc((count + 1) * sizeof *found);
    if (found == NULL)
        return STATUS_NO_MEMORY;
    struct reader reader;
    enum status status = take_reader(readers, &reader);
    if (status == STATUS_OK) {
        status = find_all(&reader, salon, slots, count, found);
        if (status == STATUS_OK)
            give_back(readers, &reader);
        else
            close_reader(&reader);
    }
    if (status == STATUS_OK)
        memcpy(taken, found, count * sizeof *taken);
    free(found);
    return status;
}
