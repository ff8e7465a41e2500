#include "sqlite_log.h"

#include "sqlite_database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD_SIZE = 32,
    HEAD_SUMMED = 24, /* the bytes before its checksum */
    FRAME_HEAD_SIZE = 24,
    FRAME_SUMMED = 8, /* of a frame's head */
    PAGE_SIZE_LEAST = 512,
    PAGE_SIZE_MOST = 65536,
    TRIES = 3, /* while others begin the log anew */
};

static const uint32_t MAGIC = 0x377f0682; /* and, when the checksums are big-endian, 1 more */

struct sums {
    uint32_t first;
    uint32_t second;
};

struct log {
    FILE *file;
    unsigned char head[HEAD_SIZE];
    size_t page_size;
    bool is_big_endian;
    unsigned char *frame; /* with its head */
};

static uint32_t big_endian(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t little_endian(const unsigned char *bytes) {
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

/* Goes on over a multiple of 8 bytes. */
static struct sums sum_on(const struct log *log, struct sums sums, const unsigned char *bytes,
                          size_t size) {
    for (size_t i = 0; i < size; i += 8) {
        uint32_t first = log->is_big_endian ? big_endian(bytes + i) : little_endian(bytes + i);
        uint32_t second =
            log->is_big_endian ? big_endian(bytes + i + 4) : little_endian(bytes + i + 4);
        sums.first += first + sums.second;
        sums.second += second + sums.first;
    }
    return sums;
}

static struct sums sums_at(const unsigned char *bytes) {
    return (struct sums){big_endian(bytes), big_endian(bytes + 4)};
}

static bool are_equal(struct sums one, struct sums other) {
    return one.first == other.first && one.second == other.second;
}

/* Takes in the log's head; false for one that is none. */
static bool read_head(struct log *log) {
    uint32_t magic = big_endian(log->head);
    log->is_big_endian = (magic & 1) == 1;
    log->page_size = big_endian(log->head + 8);
    const struct sums sums = sum_on(log, (struct sums){0, 0}, log->head, HEAD_SUMMED);
    return (magic & ~1U) == MAGIC && are_equal(sums, sums_at(log->head + HEAD_SUMMED)) &&
           log->page_size >= PAGE_SIZE_LEAST && log->page_size <= PAGE_SIZE_MOST &&
           (log->page_size & (log->page_size - 1)) == 0;
}

/* How many commits there are behind a frame that is broken. */
static size_t count_lost_commits(struct log *log) {
    static const size_t salts = 16; /* where they are in the head; in a frame's, at 8 */
    size_t size = FRAME_HEAD_SIZE + log->page_size;
    struct sums sums = sums_at(log->head + HEAD_SUMMED);
    bool is_broken = false;
    size_t lost = 0;
    while (fread(log->frame, 1, size, log->file) == size) {
        const struct sums told = sums_at(log->frame + 16);
        sums = sum_on(log, sums, log->frame, FRAME_SUMMED);
        sums = sum_on(log, sums, log->frame + FRAME_HEAD_SIZE, log->page_size);
        bool is_good = are_equal(sums, told) && memcmp(log->frame + 8, log->head + salts, 8) == 0;
        if (is_broken && is_good && big_endian(log->frame + 4) != 0)
            lost++;
        is_broken |= !is_good;
        sums = told; /* the next one is judged by what this one says of itself */
    }
    return lost;
}

enum log_verdict { LOG_GOOD, LOG_DAMAGED, LOG_CHANGED, LOG_UNREADABLE };

static enum log_verdict judge_frames(struct log *log) {
    unsigned char head[HEAD_SIZE];
    log->frame = malloc(FRAME_HEAD_SIZE + log->page_size);
    if (log->frame == NULL)
        return LOG_UNREADABLE;
    size_t lost = count_lost_commits(log);
    free(log->frame);
    if (ferror(log->file) != 0)
        return LOG_UNREADABLE;
    if (lost < 2)
        return LOG_GOOD;
    rewind(log->file);
    return fread(head, 1, sizeof head, log->file) == sizeof head &&
                   memcmp(head, log->head, sizeof head) == 0
               ? LOG_DAMAGED
               : LOG_CHANGED;
}

static enum log_verdict judge(const char *name) {
    struct log log = {.file = fopen(name, "re")};
    if (log.file == NULL)
        return errno == ENOENT ? LOG_GOOD : LOG_UNREADABLE;
    enum log_verdict verdict = LOG_GOOD;
    if (fread(log.head, 1, HEAD_SIZE, log.file) == HEAD_SIZE && fgetc(log.file) != EOF) {
        fseek(log.file, HEAD_SIZE, SEEK_SET);
        verdict = read_head(&log) ? judge_frames(&log) : LOG_DAMAGED;
    }
    fclose(log.file);
    return verdict;
}

enum status sqlite_log_check(const char *path, struct ledger_problem *problem) {
    char name[LEDGER_PATH_SIZE + 8];
    snprintf(name, sizeof name, "%s-wal", path);
    enum log_verdict verdict = LOG_CHANGED;
    for (int i = 0; i < TRIES && verdict == LOG_CHANGED; i++)
        verdict = judge(name);
    switch (verdict) {
    case LOG_GOOD:
    case LOG_CHANGED:
        return STATUS_OK;
    case LOG_UNREADABLE:
        return sqlite_problem(problem, STATUS_IO, "the ledger's log %s can't be read: %s", name,
                              strerror(errno));
    case LOG_DAMAGED:
        break;
    }
    return sqlite_damaged(problem, path, "its write-ahead log is broken before its end");
}
