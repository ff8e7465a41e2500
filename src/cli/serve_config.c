#include "serve_config.h"

#include "http_server.h"
#include "keyfile.h"
#include "ledger_open.h"
#include "protocol_limits.h"
#include "used_set.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>

/* Descriptors beside those of connections: the listeners, epoll and wake-up descriptors of every
 * thread, files, the operator's connections. */
enum { DESCRIPTORS_BESIDE = 64 + ADMIN_CONNECTIONS, DESCRIPTORS_PER_THREAD = 4 };

const struct option serve_options[SERVE_OPTION_COUNT] = {
    {"listen", "ADDRESS:PORT", "127.0.0.1:8080",
     "where to listen; IPv6 as [::1]:8080; port 0 takes a free one", '\0'},
    {"signing-key-file", "FILE", NULL,
     "a key that signs request states: the file's bytes less one trailing newline, 32 at\n"
     "        least, in a file of 4096 at most. The first one signs, all verify. Without one,\n"
     "        booking answers 503",
     ':'},
    {"valid-for", "SECONDS", "120", "how long a customer may take to answer, 1 to 86400", '\0'},
    {"max-body", "BYTES", "65536", "the largest request body, 1024 to 16777216", '\0'},
    {"threads", "N", NULL, "worker threads, 1 to 256; as many as there are cores by default", '\0'},
    LEDGER_OPTION,
    {"exclusive-slots", NULL, NULL,
     "book a slot of a salon at most once while its booking stands. Its label must name one\n"
     "        moment then (2026-10-03T10:30, not sat-10:30). Needs a ledger that keeps bookings",
     '\0'},
    {"replay-window", "SECONDS", "86400",
     "for how long a reply is kept under its Idempotency-Key, 1 to 31536000; the memory\n"
     "        ledger keeps it until its state expires",
     '\0'},
    {"max-used-states", "N", "1000000",
     "how many used states the memory ledger keeps, about 64 bytes each; while all of them\n"
     "        could still be replayed, round two answers 503",
     '\0'},
    {"timeout", "SECONDS", "10",
     "how long a request may take to arrive, and a stopping server to finish; 1 to 3600", '\0'},
    {"max-connections", "N", "1024", "open connections; the limit of open files must allow them",
     '\0'},
    {"max-connections-per-client", "N", "0", "open connections from one address; 0: no limit",
     '\0'},
    {"allow-origin", "ORIGIN", NULL,
     "an origin whose pages may call from a browser, such as https://app.example; exact", ','},
    {"no-mcp", NULL, NULL, "don't serve /mcp, where agents book over MCP", '\0'},
    {"mcp-allow-host", "HOST", NULL,
     "a name without port by which agents may reach /mcp, such as booking.example.org behind\n"
     "        a proxy; those of this machine (localhost, 127.0.0.1, [::1]) always may",
     ','},
    {"stdio", NULL, NULL,
     "serve MCP on standard input and output, one message a line, and open no port; for\n"
     "        desktop programs. The default ledger is memory then, the log is on standard error",
     '\0'},
    {"log-level", "LEVEL", "info",
     "what is logged on standard error: error, warning, or info (each request)", '\0'},
    {"admin", "ADDRESS:PORT", NULL,
     "a second listener for the operator: GET /metrics, and GET /readyz with reasons", '\0'},
    {"check", NULL, NULL,
     "read options and key files, say what is wrong with them, and exit; opens neither port\n"
     "        nor ledger",
     '\0'},
};

static int64_t core_count(void) {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        return 1;
    int count = CPU_COUNT(&cores);
    return count < 1 ? 1 : count > THREADS_MOST ? THREADS_MOST : count;
}

static bool read_threads(const struct arguments *arguments, int64_t *threads) {
    *threads = core_count();
    return arguments_value(arguments, "threads") == NULL ||
           arguments_number(arguments, "threads", 1, THREADS_MOST, threads);
}

static bool read_address(const struct arguments *arguments, const char *name, const char **out) {
    *out = arguments_value(arguments, name);
    if (*out == NULL || http_address_is_valid(*out))
        return true;
    complain(arguments,
             "%s: \"%s\" is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080 (port 0 takes "
             "a free one)",
             arguments_values(arguments, name)->source, *out);
    return false;
}

static bool read_ledger(const struct arguments *arguments, struct serve_config *config) {
    config->exclusive_slots = arguments_switch(arguments, "exclusive-slots");
    if (!ledger_url_read(arguments, config->is_stdio ? "memory" : NULL, config->ledger_url))
        return false;
    if (!config->exclusive_slots || ledger_url_is_durable(config->ledger_url))
        return true;
    complain(arguments,
             "--exclusive-slots needs a ledger that keeps bookings, such as sqlite:FILE, "
             "and --ledger is memory");
    return false;
}

/* An origin is a scheme, a host and perhaps a port, as browsers send it: no path, no `*`. */
static bool is_origin(const char *text) {
    const char *host = strstr(text, "://");
    if (host == NULL || host == text || host[3] == '\0')
        return false;
    for (const char *at = text; *at != '\0'; at++)
        if (*at <= ' ' || *at > '~' || *at == '*' || *at == ',')
            return false;
    return strchr(host + 3, '/') == NULL;
}

static bool check_origins(const struct arguments *arguments, const struct values *origins) {
    for (size_t i = 0; i < origins->count; i++) {
        if (is_origin(origins->items[i]))
            continue;
        complain(arguments,
                 "%s: \"%s\" is not an origin, such as https://app.example (no path, no *)",
                 origins->source, origins->items[i]);
        return false;
    }
    return true;
}

/* A host is a name, or an IPv6 address in brackets, without a port. */
static bool is_host(const char *text) {
    bool is_address = text[0] == '[';
    for (const char *at = text; *at != '\0'; at++)
        if (*at <= ' ' || *at > '~' || strchr("/*,@?#", *at) != NULL ||
            (!is_address && strchr(":[]", *at) != NULL))
            return false;
    return text[0] != '\0' && (!is_address || strchr(text, ']') == text + strlen(text) - 1);
}

static bool read_hosts(const struct arguments *arguments, struct serve_config *config) {
    const struct values *hosts = arguments_values(arguments, "mcp-allow-host");
    size_t count = 0;
    for (size_t i = 0; i < LOOPBACK_NAME_COUNT; i++)
        config->mcp_host_names[count++] = loopback_names[i];
    for (size_t i = 0; i < hosts->count; i++) {
        config->mcp_host_names[count++] = hosts->items[i];
        if (is_host(hosts->items[i]))
            continue;
        complain(arguments,
                 "%s: \"%s\" is not a host, such as booking.example.org or [2001:db8::1] (no port, "
                 "no *)",
                 hosts->source, hosts->items[i]);
        return false;
    }
    config->mcp_hosts = (struct http_hosts){config->mcp_host_names, count};
    return true;
}

/* With --stdio there is no port, so nothing that needs one. */
static bool read_mcp(const struct arguments *arguments, struct serve_config *config) {
    static const char *const ports[] = {"listen", "admin"};
    config->has_mcp = !arguments_switch(arguments, "no-mcp");
    config->is_stdio = arguments_switch(arguments, "stdio");
    if (config->is_stdio && !config->has_mcp) {
        complain(arguments, "--stdio serves nothing but MCP, and --no-mcp takes it away");
        return false;
    }
    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++)
        if (config->is_stdio && arguments_is_given(arguments, ports[i])) {
            complain(arguments, "--stdio opens no port, and %s asks for one",
                     arguments_values(arguments, ports[i])->source);
            return false;
        }
    return read_hosts(arguments, config);
}

static bool read_log_level(const struct arguments *arguments, enum log_level *level) {
    const char *text = arguments_value(arguments, "log-level");
    if (log_level_parse(text, level))
        return true;
    complain(arguments, "%s: \"%s\" is none of error, warning, info",
             arguments_values(arguments, "log-level")->source, text);
    return false;
}

static bool read_numbers(const struct arguments *arguments, struct serve_config *config) {
    bool good = arguments_number(arguments, "valid-for", VALID_FOR_LEAST, VALID_FOR_MOST,
                                 &config->valid_for);
    good &= arguments_number(arguments, "max-body", BODY_SIZE_LEAST, BODY_SIZE_MOST,
                             &config->body_size_max);
    good &= arguments_number(arguments, "max-used-states", 1, USED_SET_CAPACITY_MOST,
                             &config->used_states_max);
    good &=
        arguments_number(arguments, "replay-window", 1, REPLAY_WINDOW_MOST, &config->replay_window);
    good &= arguments_number(arguments, "timeout", 1, TIMEOUT_MOST, &config->timeout);
    good &= arguments_number(arguments, "max-connections", 1, CONNECTIONS_MOST,
                             &config->connections_max);
    good &= arguments_number(arguments, "max-connections-per-client", 0, CONNECTIONS_MOST,
                             &config->per_client_max);
    return read_threads(arguments, &config->threads) && good;
}

/* Raises the soft limit of open files as far as connections need it. */
static bool reserve_descriptors(const struct arguments *arguments,
                                const struct serve_config *config) {
    if (config->is_stdio)
        return true;
    rlim_t needed = (rlim_t)config->connections_max + DESCRIPTORS_BESIDE +
                    DESCRIPTORS_PER_THREAD * (rlim_t)config->threads;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return true;
    limit.rlim_cur = needed;
    if (needed <= limit.rlim_max && setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return true;
    complain(arguments,
             "%s: %lld connections need %llu open files, and the limit is %llu (ulimit -n, or "
             "LimitNOFILE= of a systemd unit)",
             arguments_values(arguments, "max-connections")->source,
             (long long)config->connections_max, (unsigned long long)needed,
             (unsigned long long)limit.rlim_max);
    return false;
}

int serve_config_read(const struct arguments *arguments, struct serve_config *config) {
    *config = (struct serve_config){
        .key_files = arguments_values(arguments, "signing-key-file"),
        .origins = arguments_values(arguments, "allow-origin"),
    };
    bool good = read_address(arguments, "listen", &config->listen);
    good &= read_address(arguments, "admin", &config->admin);
    good &= read_mcp(arguments, config);
    good &= read_ledger(arguments, config);
    good &= check_origins(arguments, config->origins);
    good &= read_log_level(arguments, &config->log_level);
    good &= read_numbers(arguments, config) && reserve_descriptors(arguments, config);
    struct reporter reporter = reporter_of_arguments(arguments);
    enum status status = keyfiles_read(&reporter, config->key_files, &config->keyring);
    if (status != STATUS_OK && status != STATUS_INVALID)
        complain(arguments, "the signing keys can't be used: %s", status_text(status));
    if (!good)
        return EXIT_USAGE;
    return status == STATUS_OK ? 0 : EXIT_FAILED;
}

void serve_config_done(struct serve_config *config) {
    keyring_release(config->keyring);
}
