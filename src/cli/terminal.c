#include "terminal.h"

#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int open_terminal(struct terminal *terminal) {
    if (terminal->opened < 0)
        terminal->opened = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    return terminal->opened;
}

bool terminal_init(struct terminal *terminal, bool input_is_used, bool output_is_used,
                   int interrupt_file) {
    struct terminal found = {-1, -1, -1, interrupt_file};
    if (input_is_used)
        found.in = open_terminal(&found);
    else if (isatty(STDIN_FILENO))
        found.in = STDIN_FILENO;
    if (found.in < 0)
        return false;
    if (!output_is_used && isatty(STDOUT_FILENO))
        found.out = STDOUT_FILENO;
    else if (isatty(STDERR_FILENO))
        found.out = STDERR_FILENO;
    else
        found.out = open_terminal(&found);
    if (found.out < 0)
        return false;
    *terminal = found;
    return true;
}

void terminal_done(struct terminal *terminal) {
    if (terminal->opened >= 0)
        close(terminal->opened);
}

void terminal_show(const struct terminal *terminal, struct buffer *text) {
    struct bytes rest = buffer_bytes(text);
    while (rest.size > 0) {
        ssize_t written = write(terminal->out, rest.data, rest.size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        rest = bytes_from(rest, (size_t)written);
    }
    buffer_done(text);
}

void terminal_say(const struct terminal *terminal, struct bytes words) {
    struct buffer text = buffer_new(TERMINAL_SHOWN_SIZE_MAX);
    buffer_append(&text, words);
    terminal_show(terminal, &text);
}

enum terminal_line terminal_read_line(const struct terminal *terminal, struct buffer *line) {
    buffer_clear(line);
    for (;;) {
        unsigned char byte = 0;
        if (!interrupt_wait(terminal->interrupt_file, terminal->in))
            return TERMINAL_INTERRUPTED;
        ssize_t got = read(terminal->in, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return line->size > 0 ? TERMINAL_LINE : TERMINAL_END;
        if (byte == '\n')
            return TERMINAL_LINE;
        buffer_append_byte(line, byte);
    }
}
