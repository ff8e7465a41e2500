#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const nothing[] = {NULL};

static size_t count_texts(const char *const *texts) {
    size_t count = 0;
    while (texts[count] != NULL)
        count++;
    return count;
}

/* execve takes texts that it may not change as if it could. */
static char *writable(const char *text) {
    return (char *)(uintptr_t)text;
}

static char **make_words(const char *path, const char *const *arguments, struct arena *arena) {
    size_t count = count_texts(arguments);
    char **words = arena_take(arena, (count + 2) * sizeof *words);
    words[0] = writable(path);
    for (size_t i = 0; i < count; i++)
        words[i + 1] = writable(arguments[i]);
    return words;
}

static char **make_environment(const char *const *added, struct arena *arena) {
    size_t added_count = count_texts(added);
    size_t inherited = count_texts((const char *const *)environ);
    char **all = arena_take(arena, (added_count + inherited + 1) * sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < inherited; i++)
        if (strncmp(environ[i], "TANDEM_", strlen("TANDEM_")) != 0)
            all[count++] = environ[i];
    for (size_t i = 0; i < added_count; i++)
        all[count++] = writable(added[i]);
    return all;
}

/* In the child, where only async-signal-safe calls are safe. */
static _Noreturn void become(const char *path, char **words, char **environment,
                             const char *directory, int out, int error) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int in = open("/dev/null", O_RDONLY);
    if (in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(error, STDERR_FILENO) >= 0 && (directory == NULL || chdir(directory) == 0))
        execve(path, words, environment);
    _exit(127);
}

static pid_t spawn(const struct program *program, int out, int error) {
    struct arena arena = {0};
    const char *path = program->path == NULL ? TANDEM_BINARY : program->path;
    char **words =
        make_words(path, program->arguments == NULL ? nothing : program->arguments, &arena);
    char **environment =
        make_environment(program->environment == NULL ? nothing : program->environment, &arena);
    pid_t pid = fork();
    if (pid == 0)
        become(path, words, environment, program->directory, out, error);
    arena_done(&arena);
    return pid;
}

bool program_start(const struct program *program, struct running *running) {
    *running = (struct running){.out = -1, .error = -1, .read = buffer_new(SIZE_MAX)};
    int ends[2];
    running->error = memfd_create("stderr", MFD_CLOEXEC);
    if (running->error < 0 || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    running->out = ends[0];
    pid_t pid = spawn(program, ends[1], running->error);
    close(ends[1]);
    running->pid = pid < 0 ? 0 : pid;
    return pid > 0;
}

/* Reads once; false at the end or once it is too late. */
static bool read_more(struct running *running, struct deadline deadline) {
    unsigned char piece[4096];
    for (;;) {
        if (!deadline_wait_readable(deadline, running->out))
            return false;
        ssize_t got = read(running->out, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got > 0)
            buffer_append(&running->read, (struct bytes){piece, (size_t)got});
        return got > 0;
    }
}

const char *running_read_line(struct running *running, struct arena *arena,
                              struct deadline deadline) {
    for (;;) {
        struct bytes read = buffer_bytes(&running->read);
        size_t size = bytes_find(read, '\n');
        if (size < read.size) {
            const char *line = (const char *)arena_copy(arena, bytes_up_to(read, size)).data;
            memmove(running->read.data, running->read.data + size + 1, read.size - size - 1);
            running->read.size -= size + 1;
            return line;
        }
        if (!read_more(running, deadline))
            return NULL;
    }
}

const char *running_error(const struct running *running, struct arena *arena) {
    struct stat facts;
    if (fstat(running->error, &facts) != 0)
        return "";
    char *text = arena_take(arena, (size_t)facts.st_size + 1);
    ssize_t got = pread(running->error, text, (size_t)facts.st_size, 0);
    text[got < 0 ? 0 : got] = '\0';
    return text;
}

/* Its standard output ends with it: nothing that it starts inherits that. */
static int wait_for_end(struct running *running) {
    struct deadline deadline = deadline_in(PATIENCE);
    while (read_more(running, deadline))
        ;
    bool late = deadline_left(deadline) == 0;
    if (late)
        kill(running->pid, SIGKILL);
    int status = 0;
    while (waitpid(running->pid, &status, 0) < 0 && errno == EINTR)
        ;
    running->pid = 0;
    if (late)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct ended running_wait(struct running *running, struct arena *arena) {
    int exit_code = running->pid == 0 ? -1 : wait_for_end(running);
    return (struct ended){exit_code, arena_copy(arena, buffer_bytes(&running->read)),
                          running_error(running, arena)};
}

void running_done(struct running *running) {
    if (running->pid > 0) {
        kill(running->pid, SIGKILL);
        waitpid(running->pid, NULL, 0);
    }
    if (running->out >= 0)
        close(running->out);
    if (running->error >= 0)
        close(running->error);
    buffer_done(&running->read);
    *running = (struct running){.out = -1, .error = -1};
}

struct ended program_run(const struct program *program, struct arena *arena) {
    struct running running;
    struct ended ended = {-1, BYTES(""), ""};
    if (program_start(program, &running))
        ended = running_wait(&running, arena);
    running_done(&running);
    return ended;
}

static bool is_gone(pid_t pid) {
    char path[64];
    char text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true;
    size_t got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    return got == 0 || strstr(text, ") Z ") != NULL;
}

bool process_ends(pid_t pid, struct deadline deadline) {
    while (!is_gone(pid)) {
        if (deadline_left(deadline) <= 0)
            return false;
        sched_yield();
    }
    return true;
}
