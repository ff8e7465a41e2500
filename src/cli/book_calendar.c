#include "book_calendar.h"

#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_SIZE = 65536 };

struct calendar calendar_new(void) {
    return (struct calendar){.text = buffer_new(CALENDAR_SIZE_MAX)};
}

void calendar_done(struct calendar *calendar) {
    buffer_done(&calendar->text);
    free(calendar->slots);
    *calendar = calendar_new();
}

static enum calendar_status unreadable(const struct arguments *arguments, const char *name,
                                       const char *why) {
    complain(arguments, "%s can't be read: %s", name, why);
    return CALENDAR_UNREADABLE;
}

/* A line without its end; the rest stays in `text`. */
static struct bytes cut_line(struct bytes *text) {
    size_t size = bytes_find(*text, '\n');
    struct bytes line = bytes_up_to(*text, size);
    *text = bytes_from(*text, size + 1);
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    return line;
}

static size_t count_lines(struct bytes text) {
    size_t count = 0;
    for (; text.size > 0; text = bytes_from(text, bytes_find(text, '\n') + 1))
        count++;
    return count;
}

/* Cuts the text, which the calendar owns already, into slots. */
static enum calendar_status cut(struct calendar *calendar, const struct arguments *arguments,
                                const char *name) {
    struct bytes text = buffer_bytes(&calendar->text);
    if (bytes_equal(bytes_up_to(text, 3), BYTES("\xEF\xBB\xBF")))
        text = bytes_from(text, 3);
    calendar->slots = calloc(count_lines(text) + 1, sizeof *calendar->slots);
    if (calendar->slots == NULL)
        return unreadable(arguments, name, "out of memory");
    for (size_t line = 1; text.size > 0; line++) {
        struct bytes slot = cut_line(&text);
        if (!bytes_are_utf8(slot) || bytes_find(slot, '\0') < slot.size) {
            complain(arguments, "%s, line %zu: a slot is UTF-8 text without NUL", name, line);
            return CALENDAR_UNREADABLE;
        }
        if (bytes_trimmed(slot).size > 0)
            calendar->slots[calendar->count++] = slot;
    }
    return CALENDAR_READ;
}

/* Reads all there is. */
static enum calendar_status gather(struct calendar *calendar, const struct arguments *arguments,
                                   const char *name, int file, int interrupt_file) {
    unsigned char piece[PIECE_SIZE];
    for (;;) {
        if (!interrupt_wait(interrupt_file, file))
            return CALENDAR_INTERRUPTED;
        ssize_t got = read(file, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return unreadable(arguments, name, strerror(errno));
        if (got == 0)
            return cut(calendar, arguments, name);
        buffer_append(&calendar->text, (struct bytes){piece, (size_t)got});
        if (calendar->text.status != STATUS_OK)
            return unreadable(arguments, name, status_text(calendar->text.status));
    }
}

static enum calendar_status read_file(struct calendar *calendar, const struct arguments *arguments,
                                      const char *name) {
    /* Not to wait for the other end of a pipe. */
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return unreadable(arguments, name, strerror(errno));
    struct stat facts;
    enum calendar_status status = CALENDAR_UNREADABLE;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))
        status = gather(calendar, arguments, name, file, -1);
    else
        unreadable(arguments, name,
                   "it is no regular file, which could be read again (- is standard input)");
    close(file);
    if (status == CALENDAR_READ)
        calendar->file = name;
    return status;
}

static enum calendar_status take_values(struct calendar *calendar,
                                        const struct arguments *arguments) {
    const struct values *values = arguments_values(arguments, "slot");
    calendar->slots = calloc(values->count + 1, sizeof *calendar->slots);
    if (calendar->slots == NULL)
        return unreadable(arguments, values->source, "out of memory");
    for (size_t i = 0; i < values->count; i++) {
        calendar->slots[i] = bytes_of_text(values->items[i]);
        if (!bytes_are_utf8(calendar->slots[i]))
            return unreadable(arguments, values->source, "a slot is not UTF-8");
    }
    calendar->count = values->count;
    return CALENDAR_READ;
}

enum calendar_status calendar_read(struct calendar *calendar, const struct arguments *arguments,
                                   int interrupt_file) {
    const char *name = arguments_value(arguments, "slots-from");
    if (name == NULL)
        return take_values(calendar, arguments);
    if (strcmp(name, "-") == 0)
        return gather(calendar, arguments, "standard input", STDIN_FILENO, interrupt_file);
    return read_file(calendar, arguments, name);
}

enum calendar_status calendar_read_again(struct calendar *calendar,
                                         const struct arguments *arguments) {
    if (calendar->file == NULL)
        return CALENDAR_READ;
    struct calendar fresh = calendar_new();
    enum calendar_status status = read_file(&fresh, arguments, calendar->file);
    if (status != CALENDAR_READ) {
        calendar_done(&fresh);
        return status;
    }
    calendar_done(calendar);
    *calendar = fresh;
    return status;
}

bool calendar_has(const struct calendar *calendar, struct bytes slot) {
    for (size_t i = 0; i < calendar->count; i++)
        if (bytes_equal(calendar->slots[i], slot))
            return true;
    return false;
}
