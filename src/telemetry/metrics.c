#include "metrics.h"

#include "booking.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef atomic_uint_fast64_t counter;

/* The upper bounds of the histogram's buckets; as text, since they are labels. */
static const struct {
    int64_t microseconds;
    const char *seconds;
} bounds[] = {
    {100, "0.0001"},  {250, "0.00025"}, {500, "0.0005"},  {1000, "0.001"}, {2500, "0.0025"},
    {5000, "0.005"},  {10000, "0.01"},  {25000, "0.025"}, {50000, "0.05"}, {100000, "0.1"},
    {250000, "0.25"}, {1000000, "1"},   {10000000, "10"},
};

static const char *const methods[] = {"GET", "HEAD",  "POST",   "OPTIONS",
                                      "PUT", "PATCH", "DELETE", "other"};

/* Every status that a reply of ours can have; 0 is a connection that ended without one. */
static const unsigned statuses[] = {200, 202, 204, 400, 403, 404, 405, 413, 415, 422, 503, 0};

enum {
    BOUND_COUNT = sizeof bounds / sizeof bounds[0],
    METHOD_COUNT = sizeof methods / sizeof methods[0],
    STATUS_COUNT = sizeof statuses / sizeof statuses[0],
};

struct histogram {
    counter buckets[BOUND_COUNT + 1]; /* not cumulated; the last one has no bound */
    counter microseconds;
};

/* The calls of one tool. */
struct tool_calls {
    counter outcomes[OUTCOME_COUNT];
    counter refusals[REFUSAL_COUNT];
    counter others; /* with neither: wrong params, mostly */
};

struct metrics {
    const struct http_route *routes;
    size_t route_count;
    const char *const *tools;
    size_t tool_count;
    struct tool_calls *calls; /* by tool; behind the requests */
    counter refusals[REFUSAL_COUNT];
    counter outcomes[OUTCOME_COUNT];
    struct histogram requests[][METHOD_COUNT][STATUS_COUNT]; /* by route; the last one is none */
};

struct metrics *metrics_new(const struct telemetry_config *config) {
    size_t route_count = config->route_count;
    struct metrics *metrics =
        calloc(1, sizeof *metrics + (route_count + 1) * sizeof metrics->requests[0] +
                      config->tool_count * sizeof metrics->calls[0]);
    if (metrics != NULL) {
        metrics->routes = config->routes;
        metrics->route_count = route_count;
        metrics->tools = config->tools;
        metrics->tool_count = config->tool_count;
        metrics->calls = (struct tool_calls *)&metrics->requests[route_count + 1];
    }
    return metrics;
}

static void add(counter *to, uint64_t amount) {
    atomic_fetch_add_explicit(to, amount, memory_order_relaxed);
}

static uint64_t value_of(const counter *from) {
    return atomic_load_explicit(from, memory_order_relaxed);
}

static size_t route_index(const struct metrics *metrics, const char *route) {
    size_t i = 0;
    while (i < metrics->route_count && metrics->routes[i].path != route)
        i++;
    return i;
}

static size_t method_index(const char *method) {
    size_t i = 0;
    while (i < METHOD_COUNT - 1 && strcmp(methods[i], method) != 0)
        i++;
    return i;
}

static size_t status_index(unsigned status) {
    size_t i = 0;
    while (i < STATUS_COUNT - 1 && statuses[i] != status)
        i++;
    return i;
}

static void count_duration(struct histogram *histogram, int64_t microseconds) {
    size_t i = 0;
    while (i < BOUND_COUNT && microseconds > bounds[i].microseconds)
        i++;
    add(&histogram->buckets[i], 1);
    add(&histogram->microseconds, microseconds > 0 ? (uint64_t)microseconds : 0);
}

/* Which outcome a note names; OUTCOME_COUNT for none. */
static size_t outcome_index(const char *note) {
    size_t i = 0;
    while (note != NULL && i < OUTCOME_COUNT &&
           strcmp(outcome_label((enum outcome_kind)i), note) != 0)
        i++;
    return note == NULL ? OUTCOME_COUNT : i;
}

static void count_call(struct metrics *metrics, const struct http_facts *facts, size_t outcome) {
    size_t i = 0;
    while (i < metrics->tool_count && strcmp(metrics->tools[i], facts->tool) != 0)
        i++;
    if (i == metrics->tool_count)
        return;
    struct tool_calls *calls = &metrics->calls[i];
    if (outcome < OUTCOME_COUNT)
        add(&calls->outcomes[outcome], 1);
    else if (facts->refusal != REFUSAL_NONE)
        add(&calls->refusals[facts->refusal], 1);
    else
        add(&calls->others, 1);
}

void metrics_count(struct metrics *metrics, const struct http_facts *facts) {
    count_duration(&metrics->requests[route_index(metrics, facts->route)]
                                     [method_index(facts->method)][status_index(facts->status)],
                   facts->microseconds);
    if (facts->refusal != REFUSAL_NONE)
        add(&metrics->refusals[facts->refusal], 1);
    size_t outcome = outcome_index(facts->note);
    if (outcome < OUTCOME_COUNT)
        add(&metrics->outcomes[outcome], 1);
    if (facts->tool != NULL)
        count_call(metrics, facts, outcome);
}

static void append_texts(struct buffer *out, const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        buffer_append_text(out, texts[i]);
}

static void write_head(struct buffer *out, const char *name, const char *type, const char *help) {
    append_texts(
        out, (const char *[]){"# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n"}, 9);
}

static void write_value(struct buffer *out, uint64_t value) {
    buffer_append_byte(out, ' ');
    buffer_append_integer(out, (int64_t)value);
    buffer_append_byte(out, '\n');
}

/* Microseconds as seconds with six decimals. */
static void append_seconds(struct buffer *out, uint64_t microseconds) {
    unsigned char digits[6];
    uint64_t rest = microseconds % 1000000;
    for (size_t i = sizeof digits; i > 0; i--) {
        digits[i - 1] = (unsigned char)('0' + rest % 10);
        rest /= 10;
    }
    buffer_append_integer(out, (int64_t)(microseconds / 1000000));
    buffer_append_byte(out, '.');
    buffer_append(out, (struct bytes){digits, sizeof digits});
}

static void write_seconds(struct buffer *out, uint64_t microseconds) {
    buffer_append_byte(out, ' ');
    append_seconds(out, microseconds);
    buffer_append_byte(out, '\n');
}

/* The labels that all lines of one histogram share. */
struct labels {
    const char *route;
    const char *method;
    unsigned status;
};

static void write_sample(struct buffer *out, const char *suffix, const struct labels *labels,
                         const char *bound) {
    append_texts(out,
                 (const char *[]){"tandem_http_request_duration_seconds", suffix, "{route=\"",
                                  labels->route, "\",method=\"", labels->method, "\",status=\""},
                 7);
    buffer_append_integer(out, labels->status);
    buffer_append_byte(out, '"');
    if (bound != NULL)
        append_texts(out, (const char *[]){",le=\"", bound, "\""}, 3);
    buffer_append_byte(out, '}');
}

static void write_histogram(struct buffer *out, const struct histogram *histogram,
                            const struct labels *labels) {
    uint64_t total = 0;
    for (size_t i = 0; i <= BOUND_COUNT; i++)
        total += value_of(&histogram->buckets[i]);
    if (total == 0)
        return;
    uint64_t below = 0;
    for (size_t i = 0; i < BOUND_COUNT; i++) {
        below += value_of(&histogram->buckets[i]);
        write_sample(out, "_bucket", labels, bounds[i].seconds);
        write_value(out, below < total ? below : total);
    }
    write_sample(out, "_bucket", labels, "+Inf");
    write_value(out, total);
    write_sample(out, "_sum", labels, NULL);
    write_seconds(out, value_of(&histogram->microseconds));
    write_sample(out, "_count", labels, NULL);
    write_value(out, total);
}

static void write_requests(const struct metrics *metrics, struct buffer *out) {
    write_head(out, "tandem_http_request_duration_seconds", "histogram",
               "Time from a request's headers to the end of its reply; status 0: no reply.");
    for (size_t route = 0; route <= metrics->route_count; route++)
        for (size_t method = 0; method < METHOD_COUNT; method++)
            for (size_t status = 0; status < STATUS_COUNT; status++) {
                const struct labels labels = {
                    route < metrics->route_count ? metrics->routes[route].path : "none",
                    methods[method], statuses[status]};
                write_histogram(out, &metrics->requests[route][method][status], &labels);
            }
}

static void write_outcomes(const struct metrics *metrics, struct buffer *out) {
    write_head(out, "tandem_outcomes_total", "counter", "Results, by round and what came of it.");
    for (size_t i = 0; i < OUTCOME_COUNT; i++) {
        enum outcome_kind kind = (enum outcome_kind)i;
        append_texts(out,
                     (const char *[]){"tandem_outcomes_total{round=\"",
                                      outcome_round(kind) == 1 ? "1" : "2", "\",outcome=\"",
                                      outcome_label(kind), "\"}"},
                     5);
        write_value(out, value_of(&metrics->outcomes[i]));
    }
}

static void write_refusals(const struct metrics *metrics, struct buffer *out) {
    write_head(out, "tandem_refusals_total", "counter", "Refused requests, by reason.");
    for (size_t i = 0; i < REFUSAL_COUNT; i++) {
        append_texts(out,
                     (const char *[]){"tandem_refusals_total{reason=\"",
                                      refusal_row((enum refusal)i)->label, "\"}"},
                     3);
        write_value(out, value_of(&metrics->refusals[i]));
    }
}

static void write_calls(const struct metrics *metrics, size_t tool, const char *outcome,
                        const counter *count, struct buffer *out) {
    append_texts(out,
                 (const char *[]){"tandem_tool_calls_total{tool=\"", metrics->tools[tool],
                                  "\",outcome=\"", outcome, "\"}"},
                 5);
    write_value(out, value_of(count));
}

static void write_tools(const struct metrics *metrics, struct buffer *out) {
    if (metrics->tool_count == 0)
        return;
    write_head(out, "tandem_tool_calls_total", "counter",
               "Calls of MCP tools, by what came of them or why they were refused.");
    for (size_t tool = 0; tool < metrics->tool_count; tool++) {
        const struct tool_calls *calls = &metrics->calls[tool];
        for (size_t i = 0; i < OUTCOME_COUNT; i++)
            write_calls(metrics, tool, outcome_label((enum outcome_kind)i), &calls->outcomes[i],
                        out);
        for (size_t i = 0; i < REFUSAL_COUNT; i++)
            write_calls(metrics, tool, refusal_row((enum refusal)i)->label, &calls->refusals[i],
                        out);
        write_calls(metrics, tool, "other", &calls->others, out);
    }
}

static void write_number(struct buffer *out, const char *name, const char *type, const char *help,
                         uint64_t value) {
    write_head(out, name, type, help);
    buffer_append_text(out, name);
    write_value(out, value);
}

static void write_latencies(const struct telemetry_ledger *ledger, struct buffer *out) {
    static const char name[] = "tandem_ledger_settle_duration_seconds";
    uint64_t below = 0;
    write_head(out, name, "histogram", "Time from a settlement's request to its verdict.");
    for (size_t i = 0; i < ledger->bound_count; i++) {
        below += ledger->latencies[i];
        append_texts(out, (const char *[]){name, "_bucket{le=\""}, 2);
        append_seconds(out, (uint64_t)ledger->bounds[i]);
        buffer_append_text(out, "\"}");
        write_value(out, below);
    }
    below += ledger->latencies[ledger->bound_count];
    append_texts(out, (const char *[]){name, "_bucket{le=\"+Inf\"}"}, 2);
    write_value(out, below);
    append_texts(out, (const char *[]){name, "_sum"}, 2);
    write_seconds(out, ledger->latency_sum);
    append_texts(out, (const char *[]){name, "_count"}, 2);
    write_value(out, below);
}

static void write_ledger(const struct telemetry_ledger *ledger, struct buffer *out) {
    if (ledger->bound_count > 0)
        write_latencies(ledger, out);
    write_head(out, "tandem_ledger_settlements_total", "counter",
               "Settlements, by what the ledger said.");
    for (size_t i = 0; i < ledger->fact_count; i++) {
        append_texts(out,
                     (const char *[]){"tandem_ledger_settlements_total{fact=\"",
                                      ledger->fact_labels[i], "\"}"},
                     3);
        write_value(out, ledger->facts[i]);
    }
    write_number(out, "tandem_ledger_commits_total", "counter",
                 "Transactions that recorded something.", ledger->commits);
    write_number(out, "tandem_ledger_completions_total", "counter",
                 "States spent in those transactions.", ledger->completions);
    write_number(out, "tandem_ledger_errors_total", "counter",
                 "Calls of the store that failed or found it busy.", ledger->errors);
    write_number(out, "tandem_ledger_read_errors_total", "counter",
                 "Questions for taken slots that went unanswered, so that all were offered.",
                 ledger->read_errors);
    write_number(out, "tandem_ledger_waiting", "gauge", "Settlements that wait for a transaction.",
                 ledger->waiting);
}

void metrics_write(const struct metrics *metrics, const char *version,
                   const struct telemetry_gauges *gauges, struct buffer *out) {
    write_requests(metrics, out);
    write_outcomes(metrics, out);
    write_refusals(metrics, out);
    write_tools(metrics, out);
    write_number(out, "tandem_used_states", "gauge", "Used states that are remembered.",
                 gauges->used_states);
    write_number(out, "tandem_connections", "gauge", "Open connections.", gauges->connections);
    write_ledger(&gauges->ledger, out);
    write_head(out, "tandem_build_info", "gauge", "The version that runs; always 1.");
    append_texts(out, (const char *[]){"tandem_build_info{version=\"", version, "\"}"}, 3);
    write_value(out, 1);
}
