#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLE_SIZE = 64 };

void complain(const struct arguments *arguments, const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    fprintf(stderr, "tandem %s: ", arguments->command->name);
    vfprintf(stderr, format, rest);
    fputc('\n', stderr);
    va_end(rest);
}

void report(const struct reporter *reporter, enum report_level level, const char *format, ...) {
    char text[REPORT_SIZE];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    reporter->say(reporter->context, level, text);
}

static void say_to_terminal(void *context, enum report_level level, const char *text) {
    const struct arguments *arguments = context;
    complain(arguments, "%s%s", level == REPORT_WARNING ? "warning: " : "", text);
}

struct reporter reporter_of_arguments(const struct arguments *arguments) {
    return (struct reporter){say_to_terminal, (void *)(uintptr_t)arguments};
}

static void variable_name(const struct option *option, char name[VARIABLE_SIZE]) {
    snprintf(name, VARIABLE_SIZE, "TANDEM_%s", option->name);
    for (char *at = name; *at != '\0'; at++)
        *at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
}

static void print_option(const struct option *option) {
    printf("  --%s%s%s\n", option->name, option->placeholder == NULL ? "" : " ",
           option->placeholder == NULL ? "" : option->placeholder);
    printf("        %s\n", option->help);
    if (option->separator == NO_VARIABLE)
        return;
    char variable[VARIABLE_SIZE];
    variable_name(option, variable);
    printf("        [%s", variable);
    if (option->separator != '\0')
        printf(", several with %c between", option->separator);
    if (option->standard != NULL)
        printf("; default %s", option->standard);
    printf("]\n");
}

static void print_help(const struct command *command) {
    printf("tandem %s: %s\n\n", command->name, command->summary);
    printf("usage: tandem %s%s%s%s\n", command->name,
           command->option_count > 0 ? " [OPTION ...]" : "",
           command->operands[0] == '\0' ? "" : " ", command->operands);
    if (command->details != NULL)
        printf("\n%s\n", command->details);
    if (command->option_count > 0)
        printf("\noptions (each beats its environment variable, which beats the default; that of\n"
               "a switch is 1 or true, 0 or false):\n");
    for (size_t i = 0; i < command->option_count; i++)
        print_option(&command->options[i]);
    printf("\nexample:\n  %s\n", command->example);
}

static size_t find_option(const struct command *command, const char *name, size_t size) {
    size_t i = 0;
    while (i < command->option_count && (strlen(command->options[i].name) != size ||
                                         memcmp(command->options[i].name, name, size) != 0))
        i++;
    return i;
}

/* There is room: whoever calls has seen to that. */
static void add_value(struct arguments *arguments, size_t index, const char *value,
                      const char *source) {
    struct values *values = &arguments->values[index];
    values->items[values->count++] = value;
    snprintf(values->source, sizeof values->source, "%s", source);
}

static int usage_error(const struct arguments *arguments, const char *what, const char *word) {
    complain(arguments, "%s %s; 'tandem %s --help' lists what there is", what, word,
             arguments->command->name);
    return EXIT_USAGE;
}

/* Reads one option at words[*at], which begins with two dashes, and its value. */
static int read_option(struct arguments *arguments, int count, char *const *words, int *at) {
    const char *word = words[*at];
    const char *equals = strchr(word, '=');
    size_t size = equals == NULL ? strlen(word) - 2 : (size_t)(equals - word) - 2;
    size_t index = find_option(arguments->command, word + 2, size);
    if (index == arguments->command->option_count)
        return usage_error(arguments, "there is no option", word);
    const struct option *option = &arguments->command->options[index];
    if (option->separator == '\0' && arguments->values[index].count > 0)
        return usage_error(arguments, "given twice:", word);
    if (option->placeholder == NULL) {
        if (equals != NULL)
            return usage_error(arguments, "a switch takes no value:", word);
        add_value(arguments, index, "1", word);
        return 0;
    }
    const char *value = equals == NULL ? NULL : equals + 1;
    if (value == NULL && *at + 1 < count)
        value = words[++*at];
    if (value == NULL)
        return usage_error(arguments, "a value is missing after", word);
    if (arguments->values[index].count == VALUES_MOST)
        return usage_error(arguments, "given more than 64 times:", word);
    char dashed[VARIABLE_SIZE];
    snprintf(dashed, sizeof dashed, "--%s", option->name);
    add_value(arguments, index, value, dashed);
    return 0;
}

static int read_words(struct arguments *arguments, int count, char *const *words) {
    bool only_operands = false;
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
            arguments->operands_before_dashes = arguments->operand_count;
        } else if (!only_operands && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(arguments->command);
            return -1;
        } else if (!only_operands && strncmp(word, "--", 2) == 0) {
            int result = read_option(arguments, count, words, &i);
            if (result != 0)
                return result;
        } else if (!only_operands && word[0] == '-' && word[1] != '\0') {
            return usage_error(arguments, "there is no option", word);
        } else if (arguments->operand_count == arguments->command->operands_most) {
            return usage_error(arguments, "there is one word too many:", word);
        } else {
            arguments->operands[arguments->operand_count++] = word;
        }
    }
    if (!only_operands)
        arguments->operands_before_dashes = arguments->operand_count;
    return 0;
}

/* Splits `text`, which it changes, at the option's separator. */
static int add_several(struct arguments *arguments, size_t index, char *text, const char *source) {
    const char separator[] = {arguments->command->options[index].separator, '\0'};
    char *rest = text;
    for (char *item = strsep(&rest, separator); item != NULL; item = strsep(&rest, separator)) {
        if (item[0] == '\0')
            continue;
        if (arguments->values[index].count == VALUES_MOST)
            return usage_error(arguments, "too many values in", source);
        add_value(arguments, index, item, source);
    }
    return 0;
}

static int read_switch_variable(struct arguments *arguments, size_t index, const char *text,
                                const char *variable) {
    if (strcmp(text, "1") == 0 || strcmp(text, "true") == 0) {
        add_value(arguments, index, "1", variable);
        return 0;
    }
    if (strcmp(text, "0") == 0 || strcmp(text, "false") == 0)
        return 0;
    complain(arguments, "%s: \"%s\" is none of 1, true, 0, false", variable, text);
    return EXIT_USAGE;
}

static int read_variable(struct arguments *arguments, size_t index) {
    const struct option *option = &arguments->command->options[index];
    if (option->separator == NO_VARIABLE)
        return 0;
    char variable[VARIABLE_SIZE];
    variable_name(option, variable);
    char *text = getenv(variable);
    if (text == NULL || text[0] == '\0')
        return 0;
    if (option->placeholder == NULL)
        return read_switch_variable(arguments, index, text, variable);
    if (option->separator == '\0') {
        add_value(arguments, index, text, variable);
        return 0;
    }
    return add_several(arguments, index, text, variable);
}

/* Fills in what no option gave. */
static int read_environment(struct arguments *arguments) {
    for (size_t i = 0; i < arguments->command->option_count; i++) {
        if (arguments->values[i].count > 0)
            continue;
        int result = read_variable(arguments, i);
        if (result != 0)
            return result;
        const char *standard = arguments->command->options[i].standard;
        if (arguments->values[i].count == 0 && standard != NULL)
            add_value(arguments, i, standard, "the default");
    }
    return 0;
}

int arguments_read(const struct command *command, int count, char *const *words,
                   struct arguments *arguments) {
    *arguments = (struct arguments){.command = command};
    int result = read_words(arguments, count, words);
    return result == 0 ? read_environment(arguments) : result;
}

const struct values *arguments_values(const struct arguments *arguments, const char *name) {
    return &arguments->values[find_option(arguments->command, name, strlen(name))];
}

const char *arguments_value(const struct arguments *arguments, const char *name) {
    const struct values *values = arguments_values(arguments, name);
    return values->count == 0 ? NULL : values->items[0];
}

bool arguments_is_given(const struct arguments *arguments, const char *name) {
    size_t index = find_option(arguments->command, name, strlen(name));
    const struct values *values = &arguments->values[index];
    return values->count > 0 && values->items[0] != arguments->command->options[index].standard;
}

bool arguments_switch(const struct arguments *arguments, const char *name) {
    return arguments_value(arguments, name) != NULL;
}

bool arguments_number(const struct arguments *arguments, const char *name, int64_t least,
                      int64_t most, int64_t *out) {
    const struct values *values = arguments_values(arguments, name);
    const char *text = values->items[0];
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    bool plain = isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0;
    if (plain && value >= least && value <= most) {
        *out = value;
        return true;
    }
    complain(arguments, "%s: \"%s\" is not a whole number from %lld to %lld", values->source, text,
             (long long)least, (long long)most);
    return false;
}
