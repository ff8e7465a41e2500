/* A command that plays a script to whoever talks to it over its standard input and output. Its
 * arguments are the script:
 *   read TEXT    reads a line, which must have TEXT in it (else it exits with 9)
 *   say TEXT     writes a line
 *   begin TEXT   writes a text without a line's end
 *   error TEXT   writes a line to standard error
 *   flood N      writes N bytes to standard error, in lines
 *   chatter      writes notifications without end
 *   endless      writes a line without end
 *   stubborn     ignores SIGTERM from here on
 *   elsewhere    goes to the process group of whoever started it
 *   parent PATH  starts a process that outlives its orders, and writes its number to PATH
 *   hang         reads no more, and stays
 *   exit N       exits
 * At its end it waits for the end of its input. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_line(const char *text) {
    char *line = NULL;
    size_t size = 0;
    ssize_t got = getline(&line, &size, stdin);
    if (got < 0)
        exit(8);
    if (strstr(line, text) == NULL) {
        fprintf(stderr, "fake command: no \"%s\" in %s", text, line);
        exit(9);
    }
    free(line);
}

static void flood(long size) {
    static const char line[] =
        "a line of a flood of lines, one like the other and all for nothing\n";
    for (; size > 0; size -= (long)sizeof line - 1)
        fputs(line, stderr);
}

static _Noreturn void write_for_ever(const char *text) {
    while (fputs(text, stdout) >= 0)
        ;
    exit(7);
}

static _Noreturn void hang(void) {
    for (;;)
        pause();
}

static void start_another(const char *path) {
    pid_t pid = fork();
    if (pid == 0)
        hang();
    FILE *file = fopen(path, "w");
    if (file == NULL)
        exit(6);
    fprintf(file, "%d\n", (int)pid);
    fclose(file);
}

/* Does what a word says. True when it took the next one too. */
static int act(const char *word, const char *next) {
    if (strcmp(word, "read") == 0) {
        read_line(next);
    } else if (strcmp(word, "say") == 0) {
        printf("%s\n", next);
        fflush(stdout);
    } else if (strcmp(word, "begin") == 0) {
        printf("%s", next);
        fflush(stdout);
    } else if (strcmp(word, "error") == 0) {
        fprintf(stderr, "%s\n", next);
    } else if (strcmp(word, "flood") == 0) {
        flood(atol(next));
    } else if (strcmp(word, "parent") == 0) {
        start_another(next);
    } else if (strcmp(word, "exit") == 0) {
        exit(atoi(next));
    } else {
        if (strcmp(word, "chatter") == 0)
            write_for_ever("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n");
        if (strcmp(word, "endless") == 0)
            write_for_ever("never a line's end ");
        if (strcmp(word, "hang") == 0)
            hang();
        if (strcmp(word, "stubborn") == 0)
            signal(SIGTERM, SIG_IGN);
        if (strcmp(word, "elsewhere") == 0 && setpgid(0, getpgid(getppid())) != 0)
            exit(5);
        return 0;
    }
    return 1;
}

int main(int count, char **words) {
    for (int i = 1; i < count; i++)
        i += act(words[i], i + 1 < count ? words[i + 1] : "");
    while (getchar() != EOF)
        ;
    return 0;
}
