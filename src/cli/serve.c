#include "commands.h"

#include "book_tool.h"
#include "keyfile.h"
#include "ledger_open.h"
#include "notify.h"
#include "random.h"
#include "routes.h"
#include "serve_config.h"
#include "serve_stdio.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { ADMIN_ROUTE_COUNT = 2, TOOL_COUNT = 1, ADMIN_BODY_SIZE = 1024, SIGNALLED = 128 };

/* A running server, and what it consists of. */
struct server {
    const struct arguments *arguments;
    struct serve_config config;
    sigset_t signals; /* that end or reload it; blocked in every thread and waited for in one */
    struct clock *clock;
    struct ledger *ledger;
    struct service *service;
    struct telemetry *telemetry;
    struct mcp_tool tools[TOOL_COUNT];
    const char *tool_names[TOOL_COUNT];
    struct mcp_server mcp;
    struct http_route routes[ROUTE_COUNT + 1];
    size_t route_count;
    struct http_route admin_routes[ADMIN_ROUTE_COUNT];
    struct http_server *http;
    struct http_server *admin;
    atomic_uint not_ready; /* as last logged */
    bool has_complained;   /* of what keeps it from starting */
    unsigned char mark[MARK_SIZE];
};

static enum status draw_nonce(void *context, unsigned char nonce[NONCE_SIZE], bool *has_nonce) {
    const struct server *server = context;
    memcpy(nonce, server->mark, MARK_SIZE);
    *has_nonce = true;
    return random_draw(nonce + MARK_SIZE, NONCE_SIZE - MARK_SIZE);
}

/* Logs why the server isn't ready, or that it is again, once for every change. */
static void log_readiness(struct server *server) {
    unsigned now = service_not_ready(server->service);
    if (atomic_exchange(&server->not_ready, now) == now)
        return;
    struct buffer reasons = buffer_new(256);
    readiness_write(now, &reasons);
    buffer_append_byte(&reasons, '\0');
    if (reasons.status == STATUS_OK)
        telemetry_log(server->telemetry, now == 0 ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING,
                      now == 0 ? "ready" : "not ready",
                      now == 0 ? NULL : (const char *)reasons.data);
    buffer_done(&reasons);
}

static void observe(void *context, const struct http_facts *facts) {
    struct server *server = context;
    telemetry_observe(server->telemetry, facts);
    if (facts->refusal == REFUSAL_UNAVAILABLE || atomic_load(&server->not_ready) != 0)
        log_readiness(server);
}

static enum http_when get_metrics(void *context, const struct http_request *request,
                                  struct http_reply *reply) {
    struct server *server = context;
    (void)request;
    struct ledger_stats stats;
    const char *labels[LEDGER_FACT_COUNT];
    ledger_read_stats(server->ledger, &stats);
    for (size_t i = 0; i < LEDGER_FACT_COUNT; i++)
        labels[i] = ledger_fact_label((enum ledger_fact)i);
    const struct telemetry_gauges gauges = {
        .used_states = ledger_used_states(server->ledger),
        .connections = http_server_connections(server->http),
        .ledger = {.fact_count = LEDGER_FACT_COUNT,
                   .fact_labels = labels,
                   .facts = stats.facts,
                   .bound_count = LEDGER_LATENCY_BOUNDS,
                   .bounds = ledger_latency_bounds,
                   .latencies = stats.latencies,
                   .latency_sum = stats.latency_sum,
                   .commits = stats.commits,
                   .completions = stats.completions,
                   .errors = stats.errors,
                   .read_errors = stats.read_errors,
                   .waiting = stats.waiting},
    };
    reply->content_type = "text/plain; version=0.0.4; charset=utf-8";
    telemetry_write_metrics(server->telemetry, &gauges, &reply->body);
    return HTTP_NOW;
}

static enum http_when get_readiness(void *context, const struct http_request *request,
                                    struct http_reply *reply) {
    struct server *server = context;
    (void)request;
    unsigned not_ready = service_not_ready(server->service);
    reply->status = not_ready == 0 ? 200 : 503;
    reply->content_type = "text/plain; charset=utf-8";
    buffer_append_text(&reply->body, not_ready == 0 ? "ready" : "not ready: ");
    readiness_write(not_ready, &reply->body);
    buffer_append_byte(&reply->body, '\n');
    return HTTP_NOW;
}

static enum status make_service(struct server *server) {
    const struct serve_config *config = &server->config;
    enum status status = clock_new(clock_source_system(), &server->clock);
    if (status == STATUS_OK)
        status = random_fill(server->mark, sizeof server->mark);
    if (status != STATUS_OK)
        return status;
    const struct ledger_config ledger = {
        .url = config->ledger_url,
        .clock = server->clock,
        .used_states_max = (size_t)config->used_states_max,
        .mark = server->mark,
        .exclusive_slots = config->exclusive_slots,
        .replay_window = config->replay_window,
        .waiting_max = (size_t)config->connections_max,
    };
    struct ledger_problem problem;
    status = ledger_open(&ledger, &server->ledger, &problem);
    if (status != STATUS_OK) {
        complain(server->arguments, "%s%s", problem.text,
                 status == STATUS_IO && arguments_value(server->arguments, "ledger") == NULL
                     ? " (this is the default ledger; --ledger names another)"
                     : "");
        server->has_complained = true;
        return status;
    }
    if (ledger_is_exposed(config->ledger_url, &problem))
        complain(server->arguments, "warning: %s", problem.text);
    const struct service_config service = {
        .clock = server->clock,
        .ledger = server->ledger,
        .nonces = {draw_nonce, server},
        .valid_for = config->valid_for,
        .body_size_max = (size_t)config->body_size_max,
    };
    return service_new(&service, config->keyring, &server->service);
}

static void make_routes(struct server *server) {
    server->tools[0] = book_tool(server->service);
    for (size_t i = 0; i < TOOL_COUNT; i++)
        server->tool_names[i] = server->tools[i].name;
    server->mcp = (struct mcp_server){.name = "tandem",
                                      .version = TANDEM_VERSION,
                                      .instructions = BOOK_INSTRUCTIONS,
                                      .tools = server->tools,
                                      .tool_count = TOOL_COUNT};
    routes_init(server->routes, server->service);
    server->route_count = ROUTE_COUNT;
    if (server->config.has_mcp)
        server->routes[server->route_count++] = mcp_route(&server->mcp, &server->config.mcp_hosts);
    server->admin_routes[0] = (struct http_route){.method = "GET",
                                                  .path = "/metrics",
                                                  .handle = get_metrics,
                                                  .context = server,
                                                  .while_draining = true};
    server->admin_routes[1] = (struct http_route){.method = "GET",
                                                  .path = "/readyz",
                                                  .handle = get_readiness,
                                                  .context = server,
                                                  .while_draining = true};
}

static enum status make_parts(struct server *server) {
    enum status status = make_service(server);
    if (status != STATUS_OK)
        return status;
    make_routes(server);
    const struct telemetry_config telemetry = {
        .routes = server->routes,
        .route_count = server->route_count,
        .tools = server->tool_names,
        .tool_count = server->config.has_mcp ? TOOL_COUNT : 0,
        .version = TANDEM_VERSION,
        .level = server->config.log_level,
        .log_file = STDERR_FILENO,
    };
    return telemetry_new(&telemetry, &server->telemetry);
}

static void free_parts(struct server *server) {
    /* Both are stopped before either goes, since the admin listener asks the other for counts. */
    http_server_stop(server->http);
    http_server_stop(server->admin);
    http_server_free(server->http);
    http_server_free(server->admin);
    telemetry_free(server->telemetry);
    service_free(server->service);
    ledger_free(server->ledger);
    clock_free(server->clock);
}

/* Listens on `address` and starts to serve. Complains and returns false when it can't. */
static bool start(const struct server *server, const char *address, struct http_config *config,
                  struct http_server **out, char url[HTTP_URL_SIZE]) {
    if (http_listen(address, &config->listener, url) != STATUS_OK) {
        complain(server->arguments, "can't listen on %s: %s", address, strerror(errno));
        return false;
    }
    enum status status = http_server_start(config, out);
    if (status != STATUS_OK)
        complain(server->arguments, "can't serve on %s: %s", address, status_text(status));
    return status == STATUS_OK;
}

static bool start_http(struct server *server, char url[HTTP_URL_SIZE]) {
    const struct serve_config *config = &server->config;
    struct http_config http = {
        .routes = server->routes,
        .route_count = server->route_count,
        .origins = config->origins->items,
        .origin_count = config->origins->count,
        .observe = observe,
        .observe_context = server,
        .body_size_max = (size_t)config->body_size_max,
        .threads = (unsigned)config->threads,
        .timeout = (unsigned)config->timeout,
        .connections_max = (unsigned)config->connections_max,
        .per_client_max = (unsigned)config->per_client_max,
    };
    return start(server, config->listen, &http, &server->http, url);
}

static bool start_admin(struct server *server, char url[HTTP_URL_SIZE]) {
    struct http_config http = {
        .routes = server->admin_routes,
        .route_count = ADMIN_ROUTE_COUNT,
        .body_size_max = ADMIN_BODY_SIZE,
        .threads = 1,
        .timeout = (unsigned)server->config.timeout,
        .connections_max = ADMIN_CONNECTIONS,
    };
    return start(server, server->config.admin, &http, &server->admin, url);
}

static void say_to_log(void *context, enum report_level level, const char *text) {
    telemetry_log(context, level == REPORT_ERROR ? LOG_LEVEL_ERROR : LOG_LEVEL_WARNING,
                  "signing key", text);
}

/* Reads the key files again. A bad one leaves the old keys in force. */
static void reload(struct server *server) {
    notify_reloading();
    const struct reporter reporter = {say_to_log, server->telemetry};
    struct keyring *keyring = NULL;
    if (keyfiles_read(&reporter, server->config.key_files, &keyring) == STATUS_OK) {
        service_set_keyring(server->service, keyring);
        keyring_release(keyring);
        telemetry_log(server->telemetry, LOG_LEVEL_INFO, "signing keys reloaded", NULL);
    } else {
        telemetry_log(server->telemetry, LOG_LEVEL_ERROR, "reload failed",
                      "the old signing keys stay in force");
    }
    log_readiness(server);
    notify_ready();
}

/* Ends the process at the next signal: whoever asks twice doesn't want to wait. */
static void *exit_at_next_signal(void *context) {
    const sigset_t *signals = context;
    int got = 0;
    do {
        sigwait(signals, &got);
    } while (got == SIGHUP);
    _exit(SIGNALLED + got);
}

static void drain(struct server *server) {
    notify_stopping();
    static sigset_t signals; /* the watcher lives until the process ends */
    signals = server->signals;
    pthread_t watcher;
    if (pthread_create(&watcher, NULL, exit_at_next_signal, &signals) == 0)
        pthread_detach(watcher);
    service_drain(server->service);
    log_readiness(server);
    http_server_stop(server->http);
}

/* Serves until a signal asks to stop. */
static void wait_for_signals(struct server *server) {
    for (;;) {
        int got = 0;
        sigwait(&server->signals, &got);
        if (got != SIGHUP)
            return;
        reload(server);
    }
}

static void reload_at_signal(void *context) {
    reload(context);
}

/* Serves one client over standard input and output. */
static int serve_stdio(struct server *server) {
    const struct stdio_config config = {
        .server = &server->mcp,
        .line_size_max = (size_t)server->config.body_size_max,
        .signals = signalfd(-1, &server->signals, SFD_CLOEXEC | SFD_NONBLOCK),
        .observe = observe,
        .reload = reload_at_signal,
        .context = server,
    };
    if (config.signals < 0) {
        complain(server->arguments, "can't wait for signals: %s", strerror(errno));
        return EXIT_FAILED;
    }
    notify_ready();
    log_readiness(server);
    bool ended_well = stdio_serve(&config);
    if (!ended_well)
        telemetry_log(server->telemetry, LOG_LEVEL_ERROR,
                      "standard input can't be read, or standard output not written", NULL);
    drain(server);
    close(config.signals);
    return ended_well ? 0 : EXIT_FAILED;
}

static int serve(struct server *server) {
    char url[HTTP_URL_SIZE];
    char admin_url[HTTP_URL_SIZE];
    if (!start_http(server, url))
        return EXIT_FAILED;
    if (server->config.admin != NULL && !start_admin(server, admin_url))
        return EXIT_FAILED;
    printf("listening on %s\n", url);
    if (server->config.admin != NULL)
        printf("admin on %s\n", admin_url);
    if (fflush(stdout) != 0)
        telemetry_log(server->telemetry, LOG_LEVEL_WARNING, "standard output can't be written",
                      NULL);
    notify_ready();
    log_readiness(server);
    wait_for_signals(server);
    drain(server);
    return 0;
}

static void block_signals(sigset_t *signals) {
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit of the size of files is a full disk to the ledger */
}

/* Makes all that is served with. Complains and returns false when it can't. */
static bool prepare(struct server *server) {
    enum status status = make_parts(server);
    if (status != STATUS_OK && !server->has_complained)
        complain(server->arguments, "can't start: %s", status_text(status));
    if (status != STATUS_OK)
        return false;
    if (clock_seconds(server->clock) >= 0)
        return true;
    complain(server->arguments, "the system's clock is before 1970: set it first");
    return false;
}

static int run_server(struct server *server) {
    block_signals(&server->signals); /* before any thread is made */
    int result = EXIT_FAILED;
    if (prepare(server))
        result = server->config.is_stdio ? serve_stdio(server) : serve(server);
    free_parts(server);
    return result;
}

static int run(const struct arguments *arguments) {
    struct server server = {.arguments = arguments};
    int result = serve_config_read(arguments, &server.config);
    if (result == 0 && keyring_size(server.config.keyring) == 0)
        complain(arguments, "warning: no --signing-key-file is named, so booking answers 503");
    if (result == 0 && arguments_switch(arguments, "check"))
        result = printf("the configuration is good\n") > 0 && fflush(stdout) == 0 ? 0 : EXIT_FAILED;
    else if (result == 0)
        result = run_server(&server);
    serve_config_done(&server.config);
    return result;
}

const struct command command_serve = {
    .name = "serve",
    .operands = "",
    .summary = "answer booking requests over HTTP",
    .details = "Serves POST /salons/{salon}/book, POST /mcp (for agents), GET /openapi.json,\n"
               "GET /livez and GET /readyz.\n"
               "Prints one line, 'listening on URL', once it answers.\n\n"
               "SIGTERM or SIGINT ends it when the requests in flight are answered; a second one\n"
               "ends it at once. SIGHUP reads the key files again.",
    .example = "tandem serve --listen 127.0.0.1:8080 --signing-key-file tandem.key",
    .options = serve_options,
    .option_count = SERVE_OPTION_COUNT,
    .run = run,
};
