#include "commands.h"

#include "contract.h"
#include "document.h"
#include "network_config.h"
#include "visible_text.h"

#include <stdio.h>
#include <string.h>

/* 1 means differences, so whatever keeps them from being found is 2, as a usage error is. */
enum {
    EXIT_DIFFERENT = 1,
    EXIT_UNREADABLE = EXIT_USAGE,
    NAME_SIZE_MAX = 1 << 20,
    REPORT_SIZE_MAX = 1 << 28
};

/* A document as it is named in messages, and its text. */
struct named_text {
    struct buffer name; /* ended by NUL */
    struct buffer text;
};

/* What a run holds; all of it is released by its end. */
struct run {
    const struct arguments *arguments;
    struct network_config network; /* read in builds with the client */
    struct named_text provider_text;
    struct contract_provider *provider;
    struct contract_report *report;
};

static struct named_text named_text_new(size_t size_max) {
    return (struct named_text){buffer_new(NAME_SIZE_MAX), buffer_new(size_max)};
}

static void named_text_done(struct named_text *document) {
    buffer_done(&document->name);
    buffer_done(&document->text);
}

static const char *name_of(const struct named_text *document) {
    return document->name.status == STATUS_OK ? (const char *)document->name.data
                                              : status_text(document->name.status);
}

/* Prints why there is none, or returns true. */
static bool read_text(const struct run *run, const char *name, struct named_text *document) {
    document_show_name(&document->name, name);
    buffer_append_byte(&document->name, '\0');
    return document_read(run->arguments, &run->network, name, name_of(document), &document->text);
}

/* Prints why a document is no readable contract. */
static bool refuse(const struct run *run, const struct named_text *document, enum status status,
                   const struct contract_problem *problem) {
    struct buffer text = buffer_new(REPORT_SIZE_MAX);
    visible_text_write(&text, bytes_of_text(problem->text));
    buffer_append_byte(&text, '\0');
    complain(run->arguments, "%s: %s", name_of(document),
             status == STATUS_NO_MEMORY || text.status != STATUS_OK ? status_text(STATUS_NO_MEMORY)
                                                                    : (const char *)text.data);
    buffer_done(&text);
    return false;
}

static bool read_provider(struct run *run, const char *name) {
    struct contract_problem problem = {.text = ""};
    if (!read_text(run, name, &run->provider_text))
        return false;
    enum status status =
        contract_provider_read(buffer_bytes(&run->provider_text.text), &run->provider, &problem);
    return status == STATUS_OK || refuse(run, &run->provider_text, status, &problem);
}

/* Compares with what one consumer's document says. */
static bool compare_with(struct run *run, const struct named_text *document) {
    struct contract_problem problem = {.text = ""};
    struct contract_consumer *consumer = NULL;
    enum status status = contract_consumer_read(buffer_bytes(&document->text), &consumer, &problem);
    if (status != STATUS_OK)
        return refuse(run, document, status, &problem);
    status = contract_compare(run->provider, consumer, run->report, &problem);
    contract_consumer_free(consumer);
    return status == STATUS_OK || refuse(run, &run->provider_text, status, &problem);
}

static bool compare(struct run *run, const char *name) {
    struct named_text document = named_text_new(CONTRACT_CONSUMER_SIZE_MAX);
    bool good = read_text(run, name, &document) && compare_with(run, &document);
    named_text_done(&document);
    return good;
}

/* The documents' names and values may come from the network, and go to a terminal: each line with
 * what is unsafe there escaped. In JSON that is the same text, since it stands in strings alone. */
static void write_lines(struct buffer *out, const struct buffer *raw) {
    struct bytes rest = buffer_bytes(raw);
    while (rest.size > 0) {
        size_t end = bytes_find(rest, '\n');
        visible_text_write(out, bytes_up_to(rest, end));
        buffer_append_byte(out, '\n');
        rest = bytes_from(rest, end + 1);
    }
    if (out->status == STATUS_OK)
        out->status = raw->status;
}

static bool print(const struct run *run, bool as_json) {
    struct buffer raw = buffer_new(REPORT_SIZE_MAX);
    struct buffer text = buffer_new(REPORT_SIZE_MAX);
    if (as_json)
        contract_report_write_json(run->report, &raw);
    else
        contract_report_write_text(run->report, &raw);
    write_lines(&text, &raw);
    buffer_done(&raw);
    bool good = text.status == STATUS_OK && fwrite(text.data, 1, text.size, stdout) == text.size &&
                fflush(stdout) == 0;
    if (!good)
        complain(run->arguments, "the differences could not be written");
    buffer_done(&text);
    return good;
}

static int compare_all(struct run *run, bool as_json) {
    const struct arguments *arguments = run->arguments;
    if (!read_provider(run, arguments->operands[0]))
        return EXIT_UNREADABLE;
    if (contract_report_new(&run->report) != STATUS_OK) {
        complain(arguments, "%s", status_text(STATUS_NO_MEMORY));
        return EXIT_UNREADABLE;
    }
    for (size_t i = 1; i < arguments->operand_count; i++)
        if (!compare(run, arguments->operands[i]))
            return EXIT_UNREADABLE;
    if (!print(run, as_json))
        return EXIT_UNREADABLE;
    return contract_report_count(run->report) > 0 ? EXIT_DIFFERENT : 0;
}

static int run(const struct arguments *arguments) {
    const char *format = arguments_value(arguments, "format");
    bool as_json = strcmp(format, "json") == 0;
    if (!as_json && strcmp(format, "text") != 0) {
        complain(arguments, "--format is text or json, not \"%s\"", format);
        return EXIT_USAGE;
    }
    if (arguments->operand_count < 2) {
        complain(arguments, "name the provider's document and a consumer's copy; 'tandem contract "
                            "--help' says more");
        return EXIT_USAGE;
    }
    struct run this = {.arguments = arguments,
                       .provider_text = named_text_new(CONTRACT_PROVIDER_SIZE_MAX)};
#ifdef TANDEM_CLIENT
    if (network_config_read(arguments, &this.network) != 0)
        return EXIT_USAGE;
#endif
    int result = compare_all(&this, as_json);
    contract_report_free(this.report);
    contract_provider_free(this.provider);
    named_text_done(&this.provider_text);
    return result;
}

static const struct option options[] = {
    {
        .name = "format",
        .placeholder = "text|json",
        .standard = "text",
        .help = "how the differences are printed",
    },
#ifdef TANDEM_CLIENT
    NETWORK_OPTION_TIMEOUT("how long fetching a document may take, 1 to 3600"),
    NETWORK_OPTION_CACERT,
#endif
};

const struct command command_contract = {
    .name = "contract",
    .operands = "PROVIDER CONSUMER ...",
    .summary = "check that a provider keeps what its consumers rely on",
    .details =
        "PROVIDER is an OpenAPI 3.0 document in JSON, each CONSUMER a consumer's copy: what it\n"
        "sends, and what it reads with which types or values. Both are files, or http and https\n"
        "URLs, which are fetched with one GET each. Each difference is a line on standard output,\n"
        "preceded by its consumer's name when there are several. What can't be told for sure is a\n"
        "difference.\n\n"
        "With --format json the output is one array. Each difference in it is an object of\n"
        "strings: consumer, round, method, path, and line, which is the text line without the\n"
        "consumer's name. No differences are an empty array.\n\n"
        "exit codes:\n"
        "  0  no differences\n"
        "  1  differences\n"
        "  2  a document can't be had or is no readable contract (standard error says which, and\n"
        "     why), or the command line is wrong",
    .example = "tandem contract openapi/booking.json openapi/consumers/booking-client.json",
    .operands_most = VALUES_MOST,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
