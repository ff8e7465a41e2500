#include "session.h"

#include "fixtures.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MILLISECONDS = 60000, ENVIRONMENT_MOST = 256, TEXT_SIZE_MAX = 16777216 };

extern char **environ;

static bool is_inherited(const char *variable) {
    return strncmp(variable, "TANDEM_", strlen("TANDEM_")) != 0 &&
           strcasestr(variable, "_proxy=") == NULL;
}

static void gather_environment(const char *const *added, char *all[ENVIRONMENT_MOST]) {
    size_t count = 0;
    for (char **at = environ; *at != NULL && count + 1 < ENVIRONMENT_MOST; at++)
        if (is_inherited(*at))
            all[count++] = *at;
    for (; added != NULL && *added != NULL && count + 1 < ENVIRONMENT_MOST; added++)
        all[count++] = (char *)(uintptr_t)*added;
    all[count] = NULL;
}

static void gather_words(const char *const *words, char *all[SESSION_WORDS_MOST]) {
    size_t count = 0;
    all[count++] = (char *)(uintptr_t)TANDEM_BINARY;
    for (; *words != NULL && count + 1 < SESSION_WORDS_MOST; words++)
        all[count++] = (char *)(uintptr_t)*words;
    all[count] = NULL;
}

/* The descriptors that the child is to have. */
struct ends {
    int in;
    int out;
    int error;
    int terminal; /* or -1 */
};

/* In the child. A session of its own leaves it without a terminal but the one given. */
static _Noreturn void become(char **words, char **environment, const struct ends *ends) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bool is_set = setsid() >= 0 &&
                  (ends->terminal < 0 || ioctl(ends->terminal, TIOCSCTTY, 0) == 0) &&
                  dup2(ends->in, STDIN_FILENO) >= 0 && dup2(ends->out, STDOUT_FILENO) >= 0 &&
                  dup2(ends->error, STDERR_FILENO) >= 0;
    if (is_set)
        execve(TANDEM_BINARY, words, environment);
    _exit(127);
}

static pid_t spawn(const char *const *words, const char *const *environment,
                   const struct ends *ends) {
    char *all_words[SESSION_WORDS_MOST];
    char *all_environment[ENVIRONMENT_MOST];
    gather_words(words, all_words);
    gather_environment(environment, all_environment);
    pid_t pid = fork();
    if (pid == 0)
        become(all_words, all_environment, ends);
    return pid;
}

/* A memory file with this text, read from its beginning. */
static int memory_file(const char *text) {
    int file = memfd_create("session", MFD_CLOEXEC);
    size_t size = strlen(text);
    if (file >= 0 && write(file, text, size) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0)
        return file;
    return -1;
}

static int open_input(const struct session_options *options, int terminal) {
    if (options->input != NULL)
        return memory_file(options->input);
    return terminal >= 0 ? dup(terminal) : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int open_terminal(struct session *session) {
    int theirs = -1;
    const struct winsize size = {.ws_row = 25, .ws_col = 200};
    if (openpty(&session->terminal, &theirs, NULL, NULL, &size) != 0)
        return -1;
    fcntl(session->terminal, F_SETFD, FD_CLOEXEC);
    fcntl(theirs, F_SETFD, FD_CLOEXEC);
    return theirs;
}

bool session_start(struct session *session, const struct session_options *options) {
    *session = (struct session){
        .terminal = -1, .terminal_theirs = -1, .screen = buffer_new(TEXT_SIZE_MAX)};
    struct ends ends = {.terminal = options->has_terminal ? open_terminal(session) : -1};
    ends.in = open_input(options, ends.terminal);
    session->out = options->output == NULL ? memfd_create("out", MFD_CLOEXEC)
                                           : open(options->output, O_WRONLY | O_CLOEXEC);
    session->error = memfd_create("error", MFD_CLOEXEC);
    ends.out = options->shows_output ? ends.terminal : session->out;
    ends.error = options->shows_output ? ends.terminal : session->error;
    session->pid = spawn(options->words, options->environment, &ends);
    close(ends.in);
    session->terminal_theirs = ends.terminal;
    return session->pid > 0;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Reads once what the terminal shows; false when nobody holds its other end, or at the deadline. */
static bool read_screen(struct session *session, int64_t deadline) {
    unsigned char piece[4096];
    struct pollfd file = {.fd = session->terminal, .events = POLLIN};
    int64_t left = deadline - now();
    if (left <= 0 || poll(&file, 1, (int)left) <= 0)
        return false;
    ssize_t got = read(session->terminal, piece, sizeof piece);
    if (got <= 0)
        return false;
    buffer_append(&session->screen, (struct bytes){piece, (size_t)got});
    buffer_append_byte(&session->screen, '\0');
    session->screen.size--;
    return true;
}

bool session_wait_for(struct session *session, const char *text) {
    int64_t deadline = now() + PATIENCE_MILLISECONDS;
    for (;;) {
        const char *screen = (const char *)session->screen.data;
        const char *found = screen == NULL ? NULL : strstr(screen + session->seen, text);
        if (found != NULL) {
            session->seen = (size_t)(found - screen) + strlen(text);
            return true;
        }
        if (!read_screen(session, deadline))
            return false;
    }
}

/* The signals that it blocks, a bit each. */
static unsigned long long blocked_signals(pid_t pid) {
    char path[64];
    char line[256];
    unsigned long long blocked = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "SigBlk:", strlen("SigBlk:")) == 0)
            blocked = strtoull(line + strlen("SigBlk:"), NULL, 16);
    if (file != NULL)
        fclose(file);
    return blocked;
}

bool session_wait_for_care(struct session *session) {
    const struct timespec pause = {.tv_nsec = 2000000};
    int64_t deadline = now() + PATIENCE_MILLISECONDS;
    bool cares = false;
    while (!cares && now() < deadline) {
        cares = (blocked_signals(session->pid) >> (SIGINT - 1) & 1) != 0;
        nanosleep(&pause, NULL);
    }
    return cares;
}

void session_type(struct session *session, const char *keys) {
    size_t size = strlen(keys);
    if (write(session->terminal, keys, size) != (ssize_t)size)
        fprintf(stderr, "the terminal takes no keys\n");
}

/* All of a memory file. */
static const char *read_all(int file, struct buffer *text) {
    unsigned char piece[4096];
    *text = buffer_new(TEXT_SIZE_MAX);
    ssize_t got = 0;
    off_t at = 0;
    while ((got = pread(file, piece, sizeof piece, at)) > 0) {
        buffer_append(text, (struct bytes){piece, (size_t)got});
        at += got;
    }
    buffer_append_byte(text, '\0');
    return (const char *)text->data;
}

static void hang_up(struct session *session) {
    if (session->terminal_theirs >= 0)
        close(session->terminal_theirs);
    session->terminal_theirs = -1;
}

static int wait_for_exit(struct session *session) {
    hang_up(session);
    int64_t deadline = now() + PATIENCE_MILLISECONDS;
    while (session->terminal >= 0 && read_screen(session, deadline))
        ;
    int status = 0;
    const struct timespec pause = {.tv_nsec = 2000000};
    pid_t ended = 0;
    while ((ended = waitpid(session->pid, &status, WNOHANG)) == 0 && now() < deadline)
        nanosleep(&pause, NULL);
    if (ended == 0)
        return -1;
    session->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct session_end session_wait(struct session *session) {
    struct session_end end = {.exit_code = wait_for_exit(session)};
    end.out = read_all(session->out, &end.texts[0]);
    end.error = read_all(session->error, &end.texts[1]);
    end.screen = session->screen.data == NULL ? "" : (const char *)session->screen.data;
    return end;
}

void session_done(struct session *session, struct session_end *end) {
    if (session->pid > 0) {
        kill(session->pid, SIGKILL);
        waitpid(session->pid, NULL, 0);
    }
    hang_up(session);
    const int files[] = {session->terminal, session->out, session->error};
    for (size_t i = 0; i < 3; i++)
        if (files[i] >= 0)
            close(files[i]);
    buffer_done(&session->screen);
    for (size_t i = 0; end != NULL && i < 2; i++)
        buffer_done(&end->texts[i]);
}

bool session_file(char path[64], const char *text) {
    snprintf(path, 64, "/tmp/tandem-session-XXXXXX");
    int file = mkostemp(path, O_CLOEXEC);
    size_t size = strlen(text);
    bool is_written = file >= 0 && write(file, text, size) == (ssize_t)size;
    if (file >= 0)
        close(file);
    return is_written;
}

void session_expect(const char *name, const struct session_options *options, int exit_code,
                    const char *out, const char *error) {
    struct session session;
    assert_true(session_start(&session, options));
    struct session_end end = session_wait(&session);
    bool is_expected = end.exit_code == exit_code && (out == NULL || strcmp(end.out, out) == 0) &&
                       (error == NULL || strcmp(end.error, error) == 0);
    if (!is_expected)
        fail_msg("%s: exit code %d instead of %d\nout: %s\nerror: %s", name, end.exit_code,
                 exit_code, end.out, end.error);
    session_done(&session, &end);
}
