#include "commands.h"

#include "bookings.h"
#include "bookings_output.h"
#include "clock.h"
#include "dates.h"
#include "ledger_url.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_SIZE_MAX = 1048576 };

static const struct option options[] = {
    LEDGER_OPTION,
    {"from", "DATE", NULL, "list: completed on this day (2026-10-03, in UTC) or later", '\0'},
    {"to", "DATE", NULL, "list: completed on this day, in UTC, or before", '\0'},
    {"status", "STATUS", NULL, "list: only those booked, or only those cancelled", '\0'},
    {"format", "FORMAT", "table", "list: table, json or csv", '\0'},
    {"before", "DATE", NULL, "forget: bookings completed before this day began, in UTC", '\0'},
};

/* One verb: what follows it, and which options it takes beside --ledger. */
struct verb {
    const char *name;
    const char *operand; /* its name, or NULL when it takes none */
    bool needs_operand;
    const char *options[4];
    /* Reads what it was given, then opens the ledger at the URL. */
    int (*run)(const struct arguments *arguments, const char *url, const char *operand);
};

static int failed(const struct arguments *arguments, const struct ledger_problem *problem) {
    complain(arguments, "%s", problem->text);
    return EXIT_FAILED;
}

/* NULL when it can't be opened, which is said. */
static struct bookings *open_ledger(const struct arguments *arguments, const char *url) {
    struct ledger_problem problem;
    struct bookings *bookings = NULL;
    if (bookings_open(url, &bookings, &problem) != STATUS_OK)
        failed(arguments, &problem);
    return bookings;
}

/* A day that an option names, moved by `days`; `out` stays as it is without one. */
static bool read_day(const struct arguments *arguments, const char *name, int64_t days,
                     int64_t *out) {
    const char *text = arguments_value(arguments, name);
    if (text == NULL)
        return true;
    if (!date_parse(text, out)) {
        complain(arguments, "%s: \"%s\" is not a day, such as 2026-10-03",
                 arguments_values(arguments, name)->source, text);
        return false;
    }
    *out += days * SECONDS_PER_DAY;
    return true;
}

/* The days of a list: from the beginning of the first to the end of the last. */
static bool read_days(const struct arguments *arguments, struct booking_filter *filter) {
    bool good = read_day(arguments, "from", 0, &filter->from);
    good &= read_day(arguments, "to", 1, &filter->until);
    if (!good || filter->from < filter->until)
        return good;
    complain(arguments, "%s %s is after %s %s", arguments_values(arguments, "from")->source,
             arguments_value(arguments, "from"), arguments_values(arguments, "to")->source,
             arguments_value(arguments, "to"));
    return false;
}

static bool read_status(const struct arguments *arguments, enum booking_status *out) {
    const char *text = arguments_value(arguments, "status");
    if (text == NULL)
        return true;
    *out = strcmp(text, "booked") == 0 ? BOOKING_BOOKED : BOOKING_CANCELLED;
    if (strcmp(text, booking_status_name(*out)) == 0)
        return true;
    complain(arguments, "%s: \"%s\" is neither booked nor cancelled",
             arguments_values(arguments, "status")->source, text);
    return false;
}

static bool read_format(const struct arguments *arguments, enum bookings_format *format) {
    const char *text = arguments_value(arguments, "format");
    if (bookings_format_parse(text, format))
        return true;
    complain(arguments, "%s: \"%s\" is none of table, json, csv",
             arguments_values(arguments, "format")->source, text);
    return false;
}

/* A list on its way to standard output. */
struct printing {
    enum bookings_format format;
    struct buffer row;
    size_t count;
    bool has_failed;
};

static void print(struct printing *printing) {
    const struct buffer *row = &printing->row;
    printing->has_failed |=
        row->status != STATUS_OK || fwrite(row->data, 1, row->size, stdout) != row->size;
    buffer_clear(&printing->row);
}

static bool print_row(void *context, const struct booking_record *record) {
    struct printing *printing = context;
    bookings_write_row(&printing->row, printing->format, printing->count++, record);
    print(printing);
    return !printing->has_failed;
}

static int list(const struct arguments *arguments, const char *url, const char *operand) {
    struct booking_filter filter = {.from = INT64_MIN, .until = INT64_MAX};
    struct printing printing = {.row = buffer_new(ROW_SIZE_MAX)};
    struct bytes salon;
    if (operand != NULL) {
        salon = bytes_of_text(operand);
        filter.salon = &salon;
    }
    bool good = read_days(arguments, &filter);
    good &= read_status(arguments, &filter.status);
    if (!read_format(arguments, &printing.format) || !good)
        return EXIT_USAGE;
    struct bookings *bookings = open_ledger(arguments, url);
    if (bookings == NULL)
        return EXIT_FAILED;
    bookings_write_head(&printing.row, printing.format);
    struct ledger_problem problem;
    enum status status = bookings_list(bookings, &filter, print_row, &printing, &problem);
    bookings_write_end(&printing.row, printing.format, printing.count);
    print(&printing);
    buffer_done(&printing.row);
    bookings_free(bookings);
    if (status != STATUS_OK)
        return failed(arguments, &problem);
    if (!printing.has_failed && fflush(stdout) == 0)
        return 0;
    complain(arguments, "the list could not be written");
    return EXIT_FAILED;
}

static bool read_id(const char *text, int64_t *id) {
    char *end = NULL;
    long long value = strtoll(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < 1 || value == INT64_MAX)
        return false;
    *id = value;
    return true;
}

static int64_t now_seconds(void) {
    const struct clock_source source = clock_source_system();
    return source.system_time(source.context) / 1000000;
}

static int cancel(const struct arguments *arguments, const char *url, const char *operand) {
    int64_t id;
    if (!read_id(operand, &id)) {
        complain(arguments, "\"%s\" is not a booking's id: 'tandem bookings list' shows them",
                 operand);
        return EXIT_USAGE;
    }
    struct bookings *bookings = open_ledger(arguments, url);
    if (bookings == NULL)
        return EXIT_FAILED;
    struct ledger_problem problem;
    enum cancellation done;
    enum status status = bookings_cancel(bookings, id, now_seconds(), &done, &problem);
    bookings_free(bookings);
    if (status != STATUS_OK)
        return failed(arguments, &problem);
    switch (done) {
    case CANCELLATION_DONE:
        printf("booking %lld is cancelled\n", (long long)id);
        return 0;
    case CANCELLATION_DONE_BEFORE:
        printf("booking %lld was cancelled before\n", (long long)id);
        return 0;
    case CANCELLATION_OF_NONE:
        break;
    }
    complain(arguments, "there is no booking %lld", (long long)id);
    return EXIT_FAILED;
}

/* Says on standard error how far it is, at every tenth. */
static void show_progress(void *context, int done, int total) {
    int *shown = context;
    int percent = total == 0 ? 100 : (int)((int64_t)done * 100 / total);
    if (percent / 10 == *shown / 10 && *shown >= 0)
        return;
    *shown = percent;
    fprintf(stderr, "%d %%: %d of %d pages\n", percent, done, total);
}

static int backup(const struct arguments *arguments, const char *url, const char *operand) {
    struct bookings *bookings = open_ledger(arguments, url);
    if (bookings == NULL)
        return EXIT_FAILED;
    struct ledger_problem problem;
    int shown = -1;
    enum status status = bookings_backup(bookings, operand, show_progress, &shown, &problem);
    bookings_free(bookings);
    if (status != STATUS_OK)
        return failed(arguments, &problem);
    printf("backed up to %s\n", operand);
    return 0;
}

static int forget(const struct arguments *arguments, const char *url, const char *operand) {
    (void)operand;
    int64_t before = 0;
    int64_t forgotten = 0;
    if (arguments_value(arguments, "before") == NULL) {
        complain(arguments, "say how far back to forget: --before 2026-10-03");
        return EXIT_USAGE;
    }
    if (!read_day(arguments, "before", 0, &before))
        return EXIT_USAGE;
    struct bookings *bookings = open_ledger(arguments, url);
    if (bookings == NULL)
        return EXIT_FAILED;
    struct ledger_problem problem;
    enum status status = bookings_forget(bookings, before, &forgotten, &problem);
    bookings_free(bookings);
    if (status != STATUS_OK)
        return failed(arguments, &problem);
    printf("forgot the words of %lld booking%s\n", (long long)forgotten, forgotten == 1 ? "" : "s");
    return 0;
}

static const struct verb verbs[] = {
    {"list", "SALON", false, {"from", "to", "status", "format"}, list},
    {"cancel", "ID", true, {NULL}, cancel},
    {"backup", "FILE", true, {NULL}, backup},
    {"forget", NULL, false, {"before"}, forget},
};

static const struct verb *find_verb(const struct arguments *arguments) {
    for (size_t i = 0; arguments->operand_count > 0 && i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verbs[i].name, arguments->operands[0]) == 0)
            return &verbs[i];
    complain(arguments, "say what to do: list, cancel, backup or forget; 'tandem bookings --help' "
                        "says more");
    return NULL;
}

static bool takes_option(const struct verb *verb, const char *name) {
    for (size_t i = 0; i < 4 && verb->options[i] != NULL; i++)
        if (strcmp(verb->options[i], name) == 0)
            return true;
    return strcmp(name, "ledger") == 0;
}

/* Complains and returns false for what another verb takes. */
static bool check_words(const struct arguments *arguments, const struct verb *verb) {
    size_t count = arguments->operand_count - 1;
    size_t most = verb->operand == NULL ? 0 : 1;
    if (count > most || (count == 0 && verb->needs_operand)) {
        complain(arguments, "%s takes %s%s", verb->name, verb->needs_operand ? "one " : "",
                 verb->operand == NULL ? "no operand"
                 : verb->needs_operand ? verb->operand
                                       : "one SALON at the most");
        return false;
    }
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *source = arguments_values(arguments, options[i].name)->source;
        if (source[0] == '-' && !takes_option(verb, options[i].name)) {
            complain(arguments, "%s doesn't take %s", verb->name, source);
            return false;
        }
    }
    return true;
}

static int run(const struct arguments *arguments) {
    const struct verb *verb = find_verb(arguments);
    char url[LEDGER_URL_SIZE];
    if (verb == NULL || !check_words(arguments, verb) || !ledger_url_read(arguments, NULL, url))
        return EXIT_USAGE;
    signal(SIGXFSZ, SIG_IGN); /* so that it is told as a full disk is */
    return verb->run(arguments, url, arguments->operand_count > 1 ? arguments->operands[1] : NULL);
}

const struct command command_bookings = {
    .name = "bookings",
    .operands = "list [SALON] | cancel ID | backup FILE | forget",
    .summary = "list, cancel, back up or forget what is booked",
    .details =
        "Works on the ledger beside a running server, or without one.\n\n"
        "  list [SALON]   the bookings, all or a salon's\n"
        "  cancel ID      cancel a booking: with --exclusive-slots its slot is free again. The\n"
        "                 record stays, and the customer's state stays used\n"
        "  backup FILE    copy the whole ledger, as it is at one moment, into a new file; how far\n"
        "                 it is goes to standard error\n"
        "  forget         erase the customers' words, and the replies kept for them, of bookings\n"
        "                 completed before --before; all else stays",
    .example = "tandem bookings list elm-street --from 2026-10-01 --format csv",
    .operands_most = 2,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
