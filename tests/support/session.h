/* The built tandem as a person or a script runs it: with or without a terminal. It gets no
 * TANDEM_* variable and no proxy from this process's environment. */
#ifndef TANDEM_TEST_SESSION_H
#define TANDEM_TEST_SESSION_H

#include "buffer.h"

#include <sys/types.h>

enum { SESSION_WORDS_MOST = 64 };

struct session_options {
    const char *const *words;       /* after "tandem", ended by NULL */
    const char *const *environment; /* more "NAME=value", ended by NULL; or NULL */
    const char *input;              /* on standard input, which then is no terminal; or NULL */
    const char *output; /* a file for standard output, nothing of which is read; or NULL */
    bool has_terminal;  /* a pseudo-terminal; standard input too, unless `input` */
    bool shows_output;  /* standard output and error go to the terminal */
};

struct session {
    pid_t pid;
    int terminal;        /* our end, or -1 */
    int terminal_theirs; /* kept open until the wait for the end: else it hangs up when nobody has
                            opened it yet */
    int out;             /* memory files, or -1 */
    int error;
    struct buffer screen; /* what the terminal showed so far, with a NUL behind */
    size_t seen;          /* how much of it was waited for */
};

/* What became of it; the texts live until session_done. */
struct session_end {
    int exit_code; /* 128 and the signal's number when one ended it; -1: it had to be killed */
    const char *out;
    const char *error;
    const char *screen;
    struct buffer texts[2];
};

/* Starts it. False when that can't be done. */
bool session_start(struct session *session, const struct session_options *options);

/* Waits until the terminal shows this after what was waited for before; false when it doesn't. */
bool session_wait_for(struct session *session, const char *text);

/* Waits until the program itself takes care of Ctrl-C; false when it doesn't. */
bool session_wait_for_care(struct session *session);

/* Types on the terminal: "\x03" is Ctrl-C, "\x04" Ctrl-D. */
void session_type(struct session *session, const char *keys);

/* Waits for its end. */
struct session_end session_wait(struct session *session);

/* Runs it to its end, and fails the test unless it ends like that. NULL: anything. */
void session_expect(const char *name, const struct session_options *options, int exit_code,
                    const char *out, const char *error);

/* Releases what session_wait gave and what the session holds; kills what still runs. */
void session_done(struct session *session, struct session_end *end);

/* A file with this text in the directory for temporary files, `path` its name. */
bool session_file(char path[64], const char *text);

#endif
