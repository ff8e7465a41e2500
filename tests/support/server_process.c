#include "server_process.h"

#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARGUMENTS_MOST = 32, PATH_SIZE = 512 };

void directory_make(char directory[DIRECTORY_SIZE]) {
    strcpy(directory, "/tmp/tandem-test-XXXXXX");
    if (mkdtemp(directory) == NULL)
        fail_msg("no temporary directory can be made");
}

void directory_remove(const char *directory) {
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        bool is_dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!is_dots && unlinkat(dirfd(entries), entry->d_name, 0) != 0)
            unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR);
    }
    closedir(entries);
    rmdir(directory);
}

void directory_write(const char *directory, const char *name, struct bytes text, unsigned mode) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    bool written = file != NULL && fwrite(text.data, 1, text.size, file) == text.size;
    if (file == NULL || fclose(file) != 0 || !written || chmod(path, mode) != 0)
        fail_msg("%s can't be written", path);
}

bool server_address_parse(const char *line, struct server_address *address) {
    *address = (struct server_address){0};
    if (sscanf(line, "listening on http://[%47[0-9a-f:]]:%u", address->host, &address->port) == 2)
        return true;
    return sscanf(line, "listening on http://%47[0-9.]:%u", address->host, &address->port) == 2;
}

static void gather_arguments(const struct server_options *options,
                             const char *arguments[ARGUMENTS_MOST]) {
    size_t count = 0;
    arguments[count++] = "serve";
    arguments[count++] = "--listen";
    arguments[count++] = options->listen == NULL ? "127.0.0.1:0" : options->listen;
    for (size_t i = 0; options->arguments != NULL && options->arguments[i] != NULL; i++) {
        assert_true(count + 1 < ARGUMENTS_MOST);
        arguments[count++] = options->arguments[i];
    }
    arguments[count] = NULL;
}

static bool start_and_listen(struct server_process *server, const struct program *program,
                             struct arena *arena) {
    if (!program_start(program, &server->program))
        return false;
    const char *line = running_read_line(&server->program, arena, deadline_in(PATIENCE));
    return line != NULL && server_address_parse(line, &server->address);
}

void server_start(struct server_process *server, const struct server_options *options,
                  struct arena *arena) {
    const char *arguments[ARGUMENTS_MOST];
    gather_arguments(options, arguments);
    *server = (struct server_process){.program = {.out = -1, .error = -1}};
    if (options->directory == NULL)
        directory_make(server->directory);
    const char *directory = options->directory == NULL ? server->directory : options->directory;
    const struct program program = {
        .arguments = arguments, .environment = options->environment, .directory = directory};
    if (start_and_listen(server, &program, arena))
        return;
    const char *error = running_error(&server->program, arena);
    server_done(server);
    fail_msg("the server doesn't say where it listens: %s", error);
}

void server_signal(const struct server_process *server, int number) {
    if (server->program.pid > 0)
        kill(server->program.pid, number);
}

void server_wait_until_closed(const struct server_process *server) {
    struct deadline deadline = deadline_in(PATIENCE);
    struct client client;
    while (client_connect(&server->address, &client)) {
        client_close(&client);
        if (deadline_left(deadline) == 0)
            fail_msg("the server still takes connections");
        sched_yield();
    }
    client_close(&client);
}

struct ended server_wait(struct server_process *server, struct arena *arena) {
    return running_wait(&server->program, arena);
}

void server_done(struct server_process *server) {
    running_done(&server->program);
    if (server->directory[0] != '\0')
        directory_remove(server->directory);
    server->directory[0] = '\0';
}
