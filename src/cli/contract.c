#include "commands.h"

#include "contract.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* 1 means differences, so whatever keeps them from being found is 2, as a usage error is. */
enum { EXIT_DIFFERENT = 1, EXIT_UNREADABLE = EXIT_USAGE };

/* What a run holds; all of it is released by finish. */
struct run {
    const struct arguments *arguments;
    struct contract_provider *provider;
    struct contract_report *report;
};

/* Appends a file to `out`, up to the buffer's ceiling. STATUS_IO with errno. */
static enum status read_file(const char *path, struct buffer *out) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return STATUS_IO;
    enum status status = STATUS_OK;
    for (ssize_t got = 1; got != 0 && status == STATUS_OK;) {
        unsigned char piece[16384];
        got = read(file, piece, sizeof piece);
        if (got > 0)
            buffer_append(out, (struct bytes){piece, (size_t)got});
        status = got >= 0 ? out->status : errno == EINTR ? STATUS_OK : STATUS_IO;
    }
    int why = errno;
    close(file);
    errno = why;
    return status;
}

/* The text of a document by its name, a path. This is the one place that would know of others, such
 * as a URL. Prints why when there is none. */
static bool read_document(const struct run *run, const char *name, struct buffer *out) {
    enum status status = read_file(name, out);
    if (status == STATUS_OK)
        return true;
    if (status == STATUS_LIMIT)
        complain(run->arguments, "%s: longer than %zu bytes", name, out->ceiling);
    else
        complain(run->arguments, "%s: can't be read: %s", name,
                 status == STATUS_IO ? strerror(errno) : status_text(status));
    return false;
}

/* Prints why a document is no readable contract. */
static bool refuse(const struct run *run, const char *name, enum status status,
                   const struct contract_problem *problem) {
    complain(run->arguments, "%s: %s", name,
             status == STATUS_NO_MEMORY ? status_text(status) : problem->text);
    return false;
}

static bool read_provider(struct run *run, const char *name) {
    struct contract_problem problem = {.text = ""};
    struct buffer text = buffer_new(CONTRACT_PROVIDER_SIZE_MAX);
    bool good = read_document(run, name, &text);
    if (good) {
        enum status status = contract_provider_read(buffer_bytes(&text), &run->provider, &problem);
        good = status == STATUS_OK || refuse(run, name, status, &problem);
    }
    buffer_done(&text);
    return good;
}

static bool compare(struct run *run, const char *name) {
    struct contract_problem problem = {.text = ""};
    struct contract_consumer *consumer = NULL;
    struct buffer text = buffer_new(CONTRACT_CONSUMER_SIZE_MAX);
    bool good = read_document(run, name, &text);
    if (good) {
        enum status status = contract_consumer_read(buffer_bytes(&text), &consumer, &problem);
        good = status == STATUS_OK || refuse(run, name, status, &problem);
    }
    if (good) {
        enum status status = contract_compare(run->provider, consumer, run->report, &problem);
        good = status == STATUS_OK || refuse(run, run->arguments->operands[0], status, &problem);
    }
    contract_consumer_free(consumer);
    buffer_done(&text);
    return good;
}

static bool print(const struct run *run, bool as_json) {
    struct buffer text = buffer_new(SIZE_MAX / 4);
    if (as_json)
        contract_report_write_json(run->report, &text);
    else
        contract_report_write_text(run->report, &text);
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
    struct run this = {.arguments = arguments};
    int result = compare_all(&this, as_json);
    contract_report_free(this.report);
    contract_provider_free(this.provider);
    return result;
}

static const struct option options[] = {
    {
        .name = "format",
        .placeholder = "text|json",
        .standard = "text",
        .help = "how the differences are printed",
    },
};

const struct command command_contract = {
    .name = "contract",
    .operands = "PROVIDER CONSUMER ...",
    .summary = "check that a provider keeps what its consumers rely on",
    .details =
        "PROVIDER is the file of an OpenAPI 3.0 document, each CONSUMER the file of a consumer's\n"
        "copy: what it sends, and what it reads with which types or values. Each difference is a\n"
        "line on standard output, preceded by its consumer's name when there are several. What\n"
        "can't be told for sure is a difference.\n\n"
        "With --format json the output is one array. Each difference in it is an object of\n"
        "strings: consumer, round, method, path, and line, which is the text line without the\n"
        "consumer's name. No differences are an empty array.\n\n"
        "exit codes:\n"
        "  0  no differences\n"
        "  1  differences\n"
        "  2  a file is no readable contract (standard error says which, and where in it), or the\n"
        "     command line is wrong",
    .example = "tandem contract openapi/booking.json openapi/consumers/booking-client.json",
    .operands_most = VALUES_MOST,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
