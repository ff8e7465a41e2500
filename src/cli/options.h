/* Command lines and their environment variables, read against a table. Private to cli. */
#ifndef TANDEM_OPTIONS_H
#define TANDEM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, OPTIONS_MOST = 32, VALUES_MOST = 64 };

/* As an option's separator: a switch without an environment variable. */
enum { NO_VARIABLE = '-' };

/* One option. Its environment variable is TANDEM_ and the name in capitals, with _ for -. */
struct option {
    const char *name;        /* without the dashes */
    const char *placeholder; /* of its value, or NULL for a switch */
    const char *standard;    /* the default, or NULL */
    const char *help;        /* one or more lines */
    char separator;          /* of several values in the environment; NUL: takes one value only;
                                NO_VARIABLE */
};

struct arguments;

/* A subcommand. */
struct command {
    const char *name;
    const char *operands; /* as --help shows them, such as "[FILE]"; "" for none */
    const char *summary;  /* one line */
    const char *details;  /* more lines for --help, or NULL */
    const char *example;  /* a command line that works */
    size_t operands_most;
    const struct option *options;
    size_t option_count;
    int (*run)(const struct arguments *arguments); /* returns the exit code */
};

/* The values of one option, in the order given. */
struct values {
    const char *items[VALUES_MOST];
    size_t count;
    char source[64]; /* "--listen" or "TANDEM_LISTEN", for messages */
};

struct arguments {
    const struct command *command;
    struct values values[OPTIONS_MOST]; /* by the option's place in the table */
    const char *operands[VALUES_MOST];
    size_t operand_count;
    size_t operands_before_dashes; /* how many of them stand before "--"; all, without one */
};

/* Reads a subcommand's arguments (argv from after its name). An option beats its variable, which
 * beats the default. Returns 0, or prints what is wrong and returns EXIT_USAGE; prints the help and
 * returns -1 for --help.
 * Values are borrowed: of the words, or of the environment, which it may cut up. */
int arguments_read(const struct command *command, int count, char *const *words,
                   struct arguments *arguments);

/* All values of an option. */
const struct values *arguments_values(const struct arguments *arguments, const char *name);

/* The value of an option that takes one, or NULL. */
const char *arguments_value(const struct arguments *arguments, const char *name);

/* True when an option or a variable gave a value, rather than the default. */
bool arguments_is_given(const struct arguments *arguments, const char *name);

/* True for a switch that is on. */
bool arguments_switch(const struct arguments *arguments, const char *name);

/* A whole number from `least` to `most`, of an option that has a value or a default. Prints what
 * would be right, and returns false, otherwise. */
bool arguments_number(const struct arguments *arguments, const char *name, int64_t least,
                      int64_t most, int64_t *out);

/* Who hears of what is wrong: the terminal at the start, the log later. */
enum report_level { REPORT_ERROR, REPORT_WARNING };
struct reporter {
    void (*say)(void *context, enum report_level level, const char *text);
    void *context;
};

/* Formats a text of up to REPORT_SIZE bytes and hands it on. */
enum { REPORT_SIZE = 512 };
__attribute__((format(printf, 3, 4))) void report(const struct reporter *reporter,
                                                  enum report_level level, const char *format, ...);

/* A reporter that complains as below. `arguments` is borrowed. */
struct reporter reporter_of_arguments(const struct arguments *arguments);

/* Prints "tandem NAME: " and the text and a newline on standard error. */
__attribute__((format(printf, 2, 3))) void complain(const struct arguments *arguments,
                                                    const char *format, ...);

#endif
