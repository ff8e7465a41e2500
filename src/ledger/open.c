#include "bookings.h"
#include "ledger_open.h"

#include <stdio.h>
#include <string.h>

#ifdef TANDEM_SQLITE
#include "committer.h"
#include "sqlite_bookings.h"
#include "sqlite_file.h"
#include "sqlite_store.h"
#endif

static const char SQLITE_PREFIX[] = "sqlite:";

bool ledger_has_sqlite(void) {
#ifdef TANDEM_SQLITE
    return true;
#else
    return false;
#endif
}

static bool is_memory(const char *url) {
    return strcmp(url, "memory") == 0;
}

/* The file that a URL names, or NULL. */
static const char *file_of(const char *url) {
    size_t size = strlen(SQLITE_PREFIX);
    return strncmp(url, SQLITE_PREFIX, size) == 0 && url[size] != '\0' ? url + size : NULL;
}

bool ledger_url_is_valid(const char *url, struct ledger_problem *problem) {
    if (is_memory(url) || (file_of(url) != NULL && ledger_has_sqlite()))
        return true;
    if (file_of(url) != NULL)
        snprintf(problem->text, sizeof problem->text,
                 "this tandem is built without SQLite; there is: memory");
    else
        snprintf(problem->text, sizeof problem->text,
                 "\"%.200s\" is not a ledger; there is: memory%s", url,
                 ledger_has_sqlite() ? ", sqlite:FILE" : "");
    return false;
}

bool ledger_url_is_durable(const char *url) {
    return !is_memory(url);
}

bool ledger_is_exposed(const char *url, struct ledger_problem *warning) {
#ifdef TANDEM_SQLITE
    return file_of(url) != NULL && sqlite_file_is_exposed(file_of(url), warning);
#else
    (void)url;
    (void)warning;
    return false;
#endif
}

static enum status open_memory(const struct ledger_config *config, struct ledger **out,
                               struct ledger_problem *problem) {
    enum status status = ledger_memory_new(config->used_states_max, config->mark, out);
    if (status != STATUS_OK)
        snprintf(problem->text, sizeof problem->text, "the memory of used states: %s",
                 status_text(status));
    return status;
}

static enum status open_durable(const struct ledger_config *config, struct ledger **out,
                                struct ledger_problem *problem) {
#ifdef TANDEM_SQLITE
    const struct sqlite_store_config sqlite = {
        .file = file_of(config->url),
        .exclusive_slots = config->exclusive_slots,
        .replay_window = config->replay_window,
    };
    struct committer_config committer = {
        .clock = config->clock,
        .waiting_max = config->waiting_max,
        .deadline = SETTLE_DEADLINE,
    };
    enum status status = sqlite_store_new(&sqlite, &committer.store, problem);
    if (status != STATUS_OK)
        return status;
    status = ledger_committer_new(&committer, out);
    if (status != STATUS_OK)
        snprintf(problem->text, sizeof problem->text, "the ledger's threads: %s",
                 status_text(status));
    return status;
#else
    (void)config;
    (void)out;
    (void)problem;
    return STATUS_INVALID;
#endif
}

enum status ledger_open(const struct ledger_config *config, struct ledger **out,
                        struct ledger_problem *problem) {
    if (!ledger_url_is_valid(config->url, problem))
        return STATUS_INVALID;
    return is_memory(config->url) ? open_memory(config, out, problem)
                                  : open_durable(config, out, problem);
}

enum status bookings_open(const char *url, struct bookings **out, struct ledger_problem *problem) {
    if (!ledger_url_is_valid(url, problem))
        return STATUS_INVALID;
#ifdef TANDEM_SQLITE
    if (file_of(url) != NULL)
        return sqlite_bookings_open(file_of(url), out, problem);
#else
    (void)out;
#endif
    snprintf(problem->text, sizeof problem->text, "the memory ledger keeps no bookings");
    return STATUS_INVALID;
}
