#include "mcp_config.h"

#include <string.h>

const struct option mcp_options[MCP_OPTION_COUNT] = {
    {"stdio", NULL, NULL, "start COMMAND and talk to it over its standard input and output",
     NO_VARIABLE},
    {"protocol", "VERSION", NULL,
     "offer this version instead of finding out: 2026-07-28, 2025-11-25, 2025-06-18 or\n"
     "        2025-03-26; to one of the last three a server may answer with another, which is\n"
     "        said and spoken then",
     '\0'},
    {"answer", "FIELD=VALUE", NULL,
     "the answer to a field of a form, instead of asking for it; a list has commas between", '|'},
    {"decline", NULL, NULL, "decline whatever is asked, instead of asking", '\0'},
    {"json", NULL, NULL, "print the result as JSON, or {\"problem\":\"...\"}", '\0'},
    {"trace", NULL, NULL, "print the messages on standard error, request states shortened", '\0'},
    {"header", "NAME: VALUE", NULL, "a header for each request over HTTP", '|'},
    {"timeout", "SECONDS", "60", "how long each reply may take, 1 to 3600", '\0'},
    NETWORK_OPTION_CACERT,
};

static int usage_error(const struct arguments *arguments, const char *text) {
    complain(arguments, "%s; 'tandem mcp --help' says more", text);
    return EXIT_USAGE;
}

static bool find_operation(const char *word, enum session_operation *operation) {
    static const char *const names[] = {"discover", "tools", "call"};
    static const enum session_operation operations[] = {SESSION_DISCOVER, SESSION_TOOLS,
                                                        SESSION_CALL};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], word) == 0) {
            *operation = operations[i];
            return true;
        }
    return false;
}

/* Sorts the operands out: OPERATION URL [TOOL JSON], or OPERATION [TOOL JSON] COMMAND … */
static int read_operands(const struct arguments *arguments, struct mcp_config *config) {
    const char *const *words = arguments->operands;
    size_t count = arguments->operand_count;
    if (count == 0 || !find_operation(words[0], &config->operation))
        return usage_error(arguments, "it takes discover, tools or call first");
    bool is_call = config->operation == SESSION_CALL;
    bool is_stdio = arguments_switch(arguments, "stdio");
    size_t fixed = (is_call ? 3 : 1) + (is_stdio ? 0 : 1);
    if (count < fixed)
        return usage_error(arguments,
                           is_call ? "call takes TOOL and JSON" : "it takes the server's URL");
    if (is_stdio && count == fixed)
        return usage_error(arguments, "--stdio takes the server's COMMAND, after --");
    if (is_stdio && arguments->operands_before_dashes > fixed)
        return usage_error(arguments, "put -- before the server's COMMAND");
    if (!is_stdio && count > fixed)
        return usage_error(arguments, "there are words too many");
    config->url = is_stdio ? NULL : words[1];
    config->words = is_stdio ? words + fixed : NULL;
    if (is_call) {
        config->tool = bytes_of_text(words[fixed - 2]);
        config->tool_arguments = bytes_of_text(words[fixed - 1]);
    }
    return 0;
}

static int check_call(const struct arguments *arguments, const struct mcp_config *config) {
    const char *problem = "there is no memory";
    if (config->operation != SESSION_CALL)
        return 0;
    if (!bytes_are_utf8(config->tool))
        return usage_error(arguments, "TOOL is not UTF-8");
    if (session_is_object(config->tool_arguments, &problem))
        return 0;
    complain(arguments, "JSON is not the object that a tool takes: %s", problem);
    return EXIT_USAGE;
}

/* Headers that are the client's own to set, or the connection's. */
static bool is_reserved(struct bytes name) {
    static const char *const names[] = {"content-type",
                                        "accept",
                                        "content-length",
                                        "transfer-encoding",
                                        "connection",
                                        "expect",
                                        "mcp-method",
                                        "mcp-protocol-version",
                                        "mcp-session-id",
                                        "mcp-name",
                                        "upgrade",
                                        "last-event-id",
                                        "te",
                                        "trailer"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (bytes_equal_ignoring_case(name, bytes_of_text(names[i])))
            return true;
    struct bytes prefix = BYTES("mcp-param-");
    return bytes_equal_ignoring_case(bytes_up_to(name, prefix.size), prefix);
}

static bool is_header_name(struct bytes name) {
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = name.data[i];
        bool is_alphanumeric = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                               (byte >= 'A' && byte <= 'Z');
        if (!is_alphanumeric && strchr("!#$%&'*+-.^_`|~", byte) == NULL)
            return false;
    }
    return name.size > 0;
}

static bool is_header_value(struct bytes value) {
    for (size_t i = 0; i < value.size; i++)
        if ((value.data[i] < 0x20 && value.data[i] != '\t') || value.data[i] == 0x7F)
            return false;
    return true;
}

/* Not quoted in what is said of it: it may be a password. */
static int read_headers(const struct arguments *arguments, struct mcp_config *config) {
    const struct values *values = arguments_values(arguments, "header");
    for (size_t i = 0; i < values->count; i++) {
        struct bytes line = bytes_of_text(values->items[i]);
        size_t colon = bytes_find(line, ':');
        struct bytes name = bytes_up_to(line, colon);
        struct bytes value = bytes_from(line, colon + 1);
        while (value.size > 0 && (value.data[0] == ' ' || value.data[0] == '\t'))
            value = bytes_from(value, 1);
        if (colon == line.size || !is_header_name(name) || !is_header_value(value)) {
            complain(arguments, "%s: number %zu is no header such as 'Name: value'", values->source,
                     i + 1);
            return EXIT_USAGE;
        }
        if (is_reserved(name)) {
            complain(arguments, "%s: number %zu is a header that is not yours to set",
                     values->source, i + 1);
            return EXIT_USAGE;
        }
        config->headers[config->header_count++] = (struct transport_header){name, value};
    }
    return 0;
}

static struct bytes field_of(const char *answer) {
    struct bytes text = bytes_of_text(answer);
    return bytes_up_to(text, bytes_find(text, '='));
}

static int check_answers(const struct arguments *arguments, const struct values *values) {
    for (size_t i = 0; i < values->count; i++) {
        struct bytes field = field_of(values->items[i]);
        if (field.size == strlen(values->items[i]) ||
            !bytes_are_utf8(bytes_of_text(values->items[i]))) {
            complain(arguments, "%s: \"%s\" is not FIELD=VALUE", values->source, values->items[i]);
            return EXIT_USAGE;
        }
        for (size_t j = 0; j < i; j++)
            if (bytes_equal(field, field_of(values->items[j]))) {
                complain(arguments, "%s: a field is answered twice: %s", values->source,
                         values->items[i]);
                return EXIT_USAGE;
            }
    }
    return 0;
}

/* What makes no sense together. */
static int check_pairs(const struct arguments *arguments, const struct mcp_config *config) {
    if (config->answers->count > 0 && config->declines)
        return usage_error(arguments, "--answer and --decline exclude each other");
    if (config->url == NULL && config->header_count > 0)
        return usage_error(arguments, "--header is for HTTP, and not for --stdio");
    if (config->url == NULL && config->network.ca_file != NULL)
        return usage_error(arguments, "--cacert is for HTTP, and not for --stdio");
    if (config->protocol != NULL && !session_speaks(bytes_of_text(config->protocol)))
        return usage_error(arguments, "--protocol is a version that it doesn't speak");
    return 0;
}

int mcp_config_read(const struct arguments *arguments, struct mcp_config *config) {
    *config = (struct mcp_config){
        .protocol = arguments_value(arguments, "protocol"),
        .answers = arguments_values(arguments, "answer"),
        .declines = arguments_switch(arguments, "decline"),
        .is_json = arguments_switch(arguments, "json"),
        .traces = arguments_switch(arguments, "trace"),
    };
    int result = read_operands(arguments, config);
    if (result == 0)
        result = network_config_read(arguments, &config->network);
    if (result == 0)
        result = read_headers(arguments, config);
    if (result == 0)
        result = check_answers(arguments, config->answers);
    if (result == 0)
        result = check_pairs(arguments, config);
    return result == 0 ? check_call(arguments, config) : result;
}
