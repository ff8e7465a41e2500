/* A person at a terminal. Private to cli. */
#ifndef TANDEM_TERMINAL_H
#define TANDEM_TERMINAL_H

#include "buffer.h"

enum { TERMINAL_SHOWN_SIZE_MAX = 4194304 };

/* Where the person is. */
struct terminal {
    int in;     /* a terminal */
    int out;    /* what the person sees */
    int opened; /* opened for this and closed with it, or -1 */
    int interrupt_file;
};

enum terminal_line {
    TERMINAL_LINE,
    TERMINAL_END, /* of the input, and no line before it */
    TERMINAL_INTERRUPTED,
};

/* Finds the person: at standard input when that is a terminal, at the controlling terminal when
 * standard input was used up for something else; else there is nobody, and it returns false. What
 * is said is shown on standard output, or, where that is no terminal or is wanted for something
 * else, on standard error or the controlling terminal. Followed by terminal_done when true. */
bool terminal_init(struct terminal *terminal, bool input_is_used, bool output_is_used,
                   int interrupt_file);
void terminal_done(struct terminal *terminal);

/* Shows a text that is safe for a terminal, and releases it. */
void terminal_show(const struct terminal *terminal, struct buffer *text);

/* Shows words of ours. */
void terminal_say(const struct terminal *terminal, struct bytes words);

/* Reads a line without its end, or what came before the end of input. What is past the buffer's
 * ceiling is dropped, and its status says so. */
enum terminal_line terminal_read_line(const struct terminal *terminal, struct buffer *line);

#endif
