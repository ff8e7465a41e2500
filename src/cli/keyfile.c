#include "keyfile.h"

#include "buffer.h"
#include "protocol_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A credential that systemd hands out is guarded by its folder, whatever the file's mode says. */
static bool is_credential(const char *path) {
    const char *folder = getenv("CREDENTIALS_DIRECTORY");
    size_t size = folder == NULL ? 0 : strlen(folder);
    return size > 0 && strncmp(path, folder, size) == 0 && path[size] == '/';
}

/* Who may touch the file; its group counts as others. */
static bool check_mode(const struct reporter *reporter, const char *path, int file) {
    struct stat facts;
    if (fstat(file, &facts) != 0) {
        report(reporter, REPORT_ERROR, "the signing key %s can't be read: %s", path,
               strerror(errno));
        return false;
    }
    if (!S_ISREG(facts.st_mode)) {
        report(reporter, REPORT_ERROR, "the signing key %s is not a regular file", path);
        return false;
    }
    if (facts.st_uid != geteuid() && facts.st_uid != 0) {
        report(reporter, REPORT_ERROR,
               "the signing key %s belongs to another user, who can write it", path);
        return false;
    }
    if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        report(reporter, REPORT_ERROR, "the signing key %s can be written by others: chmod 600 it",
               path);
        return false;
    }
    if ((facts.st_mode & (S_IRGRP | S_IROTH)) != 0 && !is_credential(path))
        report(reporter, REPORT_WARNING, "the signing key %s can be read by others: chmod 600 it",
               path);
    return true;
}

static bool read_all(int file, struct buffer *text) {
    for (;;) {
        unsigned char piece[512];
        ssize_t got = read(file, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got > 0)
            buffer_append(text, (struct bytes){piece, (size_t)got});
        int why = errno;
        explicit_bzero(piece, sizeof piece);
        errno = why;
        if (got < 0 || text->status != STATUS_OK)
            return false;
        if (got == 0)
            return true;
    }
}

static bool check_size(const struct reporter *reporter, const char *path, struct buffer *text) {
    if (text->size > 0 && text->data[text->size - 1] == '\n')
        text->size--;
    if (text->size >= SIGNING_KEY_SIZE_MIN)
        return true;
    report(reporter, REPORT_ERROR,
           "the signing key %s has %zu bytes, and needs %d: 'tandem keygen FILE' makes one", path,
           text->size, SIGNING_KEY_SIZE_MIN);
    return false;
}

static bool read_key(const struct reporter *reporter, const char *path, struct buffer *text) {
    /* Without waiting, for somebody to write to a FIFO say: signals couldn't end that. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        report(reporter, REPORT_ERROR, "the signing key %s can't be read: %s", path,
               strerror(errno));
        return false;
    }
    bool good = check_mode(reporter, path, file);
    if (good && !read_all(file, text)) {
        if (text->status == STATUS_LIMIT)
            report(reporter, REPORT_ERROR, "the signing key %s is longer than %d bytes", path,
                   KEY_FILE_SIZE_MAX);
        else
            report(reporter, REPORT_ERROR, "the signing key %s can't be read: %s", path,
                   text->status == STATUS_OK ? strerror(errno) : status_text(text->status));
        good = false;
    }
    close(file);
    return good && check_size(reporter, path, text);
}

enum status keyfiles_read(const struct reporter *reporter, const struct values *files,
                          struct keyring **out) {
    struct buffer texts[VALUES_MOST];
    struct bytes keys[VALUES_MOST] = {{0}};
    size_t count = 0;
    bool good = true;
    for (size_t i = 0; i < files->count; i++) {
        if (files->items[i][0] == '\0')
            continue;
        texts[count] = buffer_new(KEY_FILE_SIZE_MAX);
        good &= read_key(reporter, files->items[i], &texts[count]);
        keys[count] = buffer_bytes(&texts[count]);
        count++;
    }
    enum status status = good ? keyring_new(keys, count, out) : STATUS_INVALID;
    for (size_t i = 0; i < count; i++)
        buffer_done_secret(&texts[i]);
    return status;
}
