#include "book_config.h"

#include "conversation.h"

#include <string.h>

const struct option book_options[BOOK_OPTION_COUNT] = {
    {"slot", "SLOT", NULL, "an open slot, such as sat-10:30; several in the app's order", ','},
    {"slots-from", "FILE", NULL,
     "the open slots, one a line; FILE is read again before the answer is sent and before\n"
     "        the booking counts. - is standard input, read once",
     '\0'},
    {"answer", "SLOT", NULL, "the answer to the question, instead of asking for it", '\0'},
    {"decline", NULL, NULL, "decline whatever is offered, instead of asking", '\0'},
    {"json", NULL, NULL, "print the result as JSON: status, slot and say, or problem", '\0'},
    NETWORK_OPTION_TIMEOUT("how long each round may take, 1 to 3600"),
    NETWORK_OPTION_CACERT,
};

static int usage_error(const struct arguments *arguments, const char *text) {
    complain(arguments, "%s; 'tandem book --help' says more", text);
    return EXIT_USAGE;
}

static int check_words(const struct arguments *arguments, const struct book_config *config) {
    if (!conversation_salon_is_valid(config->salon))
        return usage_error(arguments, "SALON is a name in UTF-8, not empty, and neither . nor ..");
    if (!bytes_are_utf8(config->message))
        return usage_error(arguments, "MESSAGE is not UTF-8");
    if (config->answer != NULL && !bytes_are_utf8(bytes_of_text(config->answer)))
        return usage_error(arguments, "the answer is not UTF-8");
    return 0;
}

static int check_pair(const struct arguments *arguments, const char *one, const char *other) {
    const struct values *first = arguments_values(arguments, one);
    const struct values *second = arguments_values(arguments, other);
    if (first->count == 0 || second->count == 0)
        return 0;
    complain(arguments, "%s and %s exclude each other", first->source, second->source);
    return EXIT_USAGE;
}

int book_config_read(const struct arguments *arguments, struct book_config *config) {
    if (arguments->operand_count != BOOK_OPERAND_COUNT)
        return usage_error(arguments, "it takes URL, SALON and MESSAGE");
    const char *slots_from = arguments_value(arguments, "slots-from");
    *config = (struct book_config){
        .url = arguments->operands[0],
        .salon = bytes_of_text(arguments->operands[1]),
        .message = bytes_of_text(arguments->operands[2]),
        .answer = arguments_value(arguments, "answer"),
        .declines = arguments_switch(arguments, "decline"),
        .is_json = arguments_switch(arguments, "json"),
        .input_is_used = slots_from != NULL && strcmp(slots_from, "-") == 0,
    };
    int result = network_config_read(arguments, &config->network);
    if (result == 0)
        result = check_words(arguments, config);
    if (result == 0)
        result = check_pair(arguments, "slot", "slots-from");
    if (result == 0)
        result = check_pair(arguments, "answer", "decline");
    return result;
}
