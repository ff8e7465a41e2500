/* A program that is talked to over its standard input and output, a line at a time. Nothing that it
 * does or doesn't can block the caller for longer than asked: not to read what it is sent, to write
 * without end, to flood its standard error, to ignore its end. It must not know what the lines
 * mean.
 *
 * The program is the leader of a process group of its own, so that Ctrl-C at the terminal is the
 * caller's, and what it starts ends with it. The caller ignores SIGPIPE. One thread at a time. */
#ifndef TANDEM_CHILDPROCESS_H
#define TANDEM_CHILDPROCESS_H

#include "bytes.h"
#include "status.h"

#include <stdint.h>

struct childprocess_config {
    const char *const *words; /* the program, found along PATH, and its arguments; ended by NULL */
    int interrupt_file; /* a descriptor that becomes readable when a wait has to end at once; or -1
                         */
    size_t line_size_max; /* of a line that is read, in bytes */
    /* Hears what the program writes to its standard error, as it comes; may be NULL. */
    void (*on_error_output)(void *context, struct bytes piece);
    void *context;
};

struct childprocess;

enum childprocess_event {
    CHILDPROCESS_LINE,
    CHILDPROCESS_ENDED, /* it closed its output; what followed its last line end is dropped */
    CHILDPROCESS_TIMEOUT,
    CHILDPROCESS_INTERRUPTED,
    CHILDPROCESS_TOO_LONG, /* a line over the limit; it can't be read on */
};

/* Starts it. STATUS_OK and a child, ended with childprocess_end; STATUS_IO and the system's error
 * in `error` (ENOENT: there is no such program); STATUS_NO_MEMORY. */
enum status childprocess_start(const struct childprocess_config *config, struct childprocess **out,
                               int *error);

/* Takes a line to be sent, and adds its end; it goes out during waits. STATUS_LIMIT: more than 64
 * MiB wait; STATUS_NO_MEMORY. To one that reads no more it is lost. */
enum status childprocess_send(struct childprocess *child, struct bytes line);

/* Sends what waits, and waits for the next line, for so many milliseconds at the most. The line has
 * no end (LF, or CR and LF), and lives until the next call. */
enum childprocess_event childprocess_wait(struct childprocess *child, int64_t milliseconds,
                                          struct bytes *line);

/* The next line that was read already; false when there is none. */
bool childprocess_next(struct childprocess *child, struct bytes *line);

/* Ends it, politely at first: closes its input, after `grace` milliseconds asks it to end
 * (SIGTERM), after as many again makes it end (SIGKILL). What it started is asked and made to with
 * it; what is left of its group when it has ended is asked to. Its exit status as of waitpid; 0
 * for NULL. */
int childprocess_end(struct childprocess *child, int64_t grace);

#endif
