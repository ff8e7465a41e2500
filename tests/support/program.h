/* Runs a program (the built tandem, mostly) and gathers what it prints. */
#ifndef TANDEM_TEST_PROGRAM_H
#define TANDEM_TEST_PROGRAM_H

#include "arena.h"
#include "buffer.h"
#include "deadline.h"

#include <sys/types.h>

/* What to run. */
struct program {
    const char *path;               /* NULL: the built tandem */
    const char *const *arguments;   /* after the program's name, ended by NULL; may be NULL */
    const char *const *environment; /* "NAME=value", ended by NULL; added to this process's, less
                                       all that begins with TANDEM_ there; may be NULL */
    const char *directory;          /* where it runs; NULL: here */
};

/* A program that was started. It dies with the thread that started it. */
struct running {
    pid_t pid;          /* 0 once its end was seen */
    int out;            /* the reading end of its standard output */
    int error;          /* a memory file that takes its standard error */
    struct buffer read; /* what came out so far */
};

/* What became of it. */
struct ended {
    int exit_code;    /* 128 and the signal's number when a signal ended it, -1 when nothing did
                         within PATIENCE (it is then killed) */
    struct bytes out; /* both with a NUL behind */
    const char *error;
};

/* False when it can't be started. Always followed by running_done. */
bool program_start(const struct program *program, struct running *running);

/* The next line of its standard output, without the newline, or NULL when it ended or took too
 * long. */
const char *running_read_line(struct running *running, struct arena *arena,
                              struct deadline deadline);

/* Waits for its end. */
struct ended running_wait(struct running *running, struct arena *arena);

/* Its standard error so far. */
const char *running_error(const struct running *running, struct arena *arena);

/* Kills it when it still runs, and releases what was gathered. */
void running_done(struct running *running);

/* Waits until no such process is left, but perhaps one that nobody has reaped. */
bool process_ends(pid_t pid, struct deadline deadline);

/* All of it: starts, waits, releases. */
struct ended program_run(const struct program *program, struct arena *arena);

#endif
