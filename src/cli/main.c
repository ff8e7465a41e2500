#include "commands.h"

#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_serve, &command_keygen, &command_openapi, &command_bookings, &command_contract,
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

static int run(const struct command *command, int count, char *const *words) {
    struct arguments arguments;
    int result = arguments_read(command, count, words, &arguments);
    if (result != 0)
        return result < 0 ? 0 : result;
    return command->run(&arguments);
}

int main(int count, char **words) {
    if (count < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "help") == 0) {
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
