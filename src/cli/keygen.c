#include "commands.h"

#include "hex.h"
#include "random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KEY_BYTES = 32, KEY_TEXT_SIZE = 2 * KEY_BYTES + 1 };

static bool draw_key(unsigned char text[KEY_TEXT_SIZE]) {
    unsigned char key[KEY_BYTES];
    if (random_fill(key, sizeof key) != STATUS_OK)
        return false;
    hex_write((struct bytes){key, sizeof key}, text);
    text[KEY_TEXT_SIZE - 1] = '\n';
    explicit_bzero(key, sizeof key);
    return true;
}

static bool write_all(int file, const unsigned char *text, size_t size) {
    while (size > 0) {
        ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

/* Writes the key to a file that must not be there yet; one that can't be written whole is removed.
 */
static int write_file(const struct arguments *arguments, const char *path,
                      const unsigned char *text) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        if (errno == EEXIST)
            complain(arguments, "%s is there already, and is never overwritten", path);
        else
            complain(arguments, "%s can't be written: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    bool written = write_all(file, text, KEY_TEXT_SIZE) && fsync(file) == 0;
    int why = errno;
    if (close(file) != 0 && written) {
        written = false;
        why = errno;
    }
    if (written)
        return 0;
    unlink(path);
    complain(arguments, "%s can't be written: %s", path, strerror(why));
    return EXIT_FAILED;
}

static int run(const struct arguments *arguments) {
    unsigned char text[KEY_TEXT_SIZE];
    if (!draw_key(text)) {
        complain(arguments, "the system's random generator gives nothing");
        return EXIT_FAILED;
    }
    int result = 0;
    if (arguments->operand_count > 0)
        result = write_file(arguments, arguments->operands[0], text);
    else if (!write_all(STDOUT_FILENO, text, sizeof text)) {
        complain(arguments, "the key can't be written: %s", strerror(errno));
        result = EXIT_FAILED;
    }
    explicit_bzero(text, sizeof text);
    return result;
}

const struct command command_keygen = {
    .name = "keygen",
    .operands = "[FILE]",
    .summary = "make a signing key",
    .details = "Writes a fresh key, 64 hex digits and a newline, to FILE (mode 0600, never over a\n"
               "file that is there), or prints it (then its mode is up to you: umask 077).",
    .example = "tandem keygen tandem.key",
    .operands_most = 1,
    .run = run,
};
