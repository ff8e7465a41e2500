#include "commands.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command *const commands[] = {
    &command_serve, &command_keygen, &command_openapi, &command_bookings, &command_contract,
#ifdef TANDEM_CLIENT
    &command_book,  &command_mcp,
#endif
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out) {
    fprintf(out, "tandem: a salon's booking server with a two-round protocol\n\n"
                 "usage: tandem COMMAND [OPTION ...]\n\ncommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\n'tandem COMMAND --help' says more of each; 'tandem --version' prints the "
                 "version.\n\nexample:\n  tandem keygen tandem.key && tandem serve "
                 "--signing-key-file tandem.key\n");
}

/* A descriptor of 0 to 2 that is closed would be taken by the next socket, and printed to. */
static void open_standard_descriptors(void) {
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
            exit(EXIT_FAILED);
}

static int run(const struct command *command, int count, char *const *words) {
    struct arguments arguments;
    int result = arguments_read(command, count, words, &arguments);
    if (result != 0)
        return result < 0 ? 0 : result;
    return command->run(&arguments);
}

static int choose(int count, char *const *words) {
    if (count < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0 ||
        strcmp(words[1], "help") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(words[1], "--version") == 0) {
        printf("tandem %s\n", TANDEM_VERSION);
        return 0;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(words[1], commands[i]->name) == 0)
            return run(commands[i], count - 2, words + 2);
    fprintf(stderr, "tandem: there is no command %s; 'tandem --help' lists what there is\n",
            words[1]);
    return EXIT_USAGE;
}

int main(int count, char **words) {
    open_standard_descriptors();
    int result = choose(count, words);
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return result;
    fprintf(stderr, "tandem: standard output can't be written\n");
    return result == 0 ? EXIT_FAILED : result;
}
