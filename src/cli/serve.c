#include "commands.h"

#include "http_server.h"
#include "keyfile.h"
#include "random.h"
#include "routes.h"
#include "used_set.h"

#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { TIMEOUT_SECONDS = 10, CONNECTIONS_STANDARD = 1024 };

/* What the options say. */
struct serve_config {
    const char *listen;
    struct keyring *keyring;
    int64_t valid_for;
    int64_t body_size_max;
    int64_t threads;
};

/* What a running server consists of, taken down in the reverse order. */
struct parts {
    struct clock *clock;
    struct ledger *ledger;
    struct service *service;
    struct http_server *http;
    unsigned char mark[MARK_SIZE];
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

static bool check_listen(const struct arguments *arguments, const char *text) {
    if (http_address_is_valid(text))
        return true;
    complain(arguments,
             "%s: \"%s\" is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080 (port 0 takes "
             "a free one)",
             arguments_values(arguments, "listen")->source, text);
    return false;
}

static bool check_ledger(const struct arguments *arguments) {
    const char *text = arguments_value(arguments, "ledger");
    if (strcmp(text, "memory") == 0)
        return true;
    complain(arguments, "%s: \"%s\" is not a ledger; there is: memory",
             arguments_values(arguments, "ledger")->source, text);
    return false;
}

/* Reads the whole configuration and says all that is wrong with it. Returns an exit code. */
static int read_config(const struct arguments *arguments, struct serve_config *config) {
    config->listen = arguments_value(arguments, "listen");
    bool good = check_listen(arguments, config->listen);
    good &= check_ledger(arguments);
    good &= arguments_number(arguments, "valid-for", VALID_FOR_LEAST, VALID_FOR_MOST,
                             &config->valid_for);
    good &= arguments_number(arguments, "max-body", BODY_SIZE_LEAST, BODY_SIZE_MOST,
                             &config->body_size_max);
    good &= read_threads(arguments, &config->threads);
    enum status status =
        keyfiles_read(arguments, arguments_values(arguments, "signing-key-file"), &config->keyring);
    if (status != STATUS_OK && status != STATUS_INVALID)
        complain(arguments, "the signing keys can't be used: %s", status_text(status));
    if (!good)
        return EXIT_USAGE;
    return status == STATUS_OK ? 0 : EXIT_FAILED;
}

static enum status draw_nonce(void *context, unsigned char nonce[NONCE_SIZE], bool *has_nonce) {
    const struct parts *parts = context;
    memcpy(nonce, parts->mark, MARK_SIZE);
    *has_nonce = true;
    return random_fill(nonce + MARK_SIZE, NONCE_SIZE - MARK_SIZE);
}

static void get_openapi(void *context, const struct http_request *request,
                        struct http_reply *reply) {
    (void)context;
    (void)request;
    buffer_append(&reply->body, (struct bytes){openapi_document, openapi_document_size});
}

static enum status make_parts(const struct serve_config *config, struct parts *parts) {
    enum status status = clock_new(clock_source_system(), &parts->clock);
    if (status == STATUS_OK)
        status = random_fill(parts->mark, sizeof parts->mark);
    if (status == STATUS_OK)
        status = ledger_memory_new(USED_SET_CAPACITY_DEFAULT, parts->mark, &parts->ledger);
    if (status != STATUS_OK)
        return status;
    const struct service_config service = {
        .clock = parts->clock,
        .ledger = parts->ledger,
        .nonces = {draw_nonce, parts},
        .valid_for = config->valid_for,
        .body_size_max = (size_t)config->body_size_max,
    };
    return service_new(&service, config->keyring, &parts->service);
}

static void free_parts(struct parts *parts) {
    http_server_stop(parts->http);
    service_free(parts->service);
    ledger_free(parts->ledger);
    clock_free(parts->clock);
}

/* Serves until a signal asks to stop. The signals are blocked before any thread is made, so that
 * all of them come here. */
static int serve_until_signal(const struct arguments *arguments, const struct serve_config *config,
                              struct parts *parts, const sigset_t *signals) {
    const struct http_route routes[] = {
        {"POST", "/salons/{salon}/book", route_book, parts->service, false},
        {"GET", "/openapi.json", get_openapi, NULL, false},
    };
    char url[HTTP_URL_SIZE];
    struct http_config http = {
        .routes = routes,
        .route_count = sizeof routes / sizeof routes[0],
        .body_size_max = (size_t)config->body_size_max,
        .threads = (unsigned)config->threads,
        .timeout = TIMEOUT_SECONDS,
        .connections_max = CONNECTIONS_STANDARD,
    };
    if (http_listen(config->listen, &http.listener, url) != STATUS_OK) {
        complain(arguments, "can't listen on %s: %s", config->listen, strerror(errno));
        return EXIT_FAILED;
    }
    enum status status = http_server_start(&http, &parts->http);
    if (status != STATUS_OK) {
        complain(arguments, "can't start to serve: %s", status_text(status));
        return EXIT_FAILED;
    }
    printf("listening on %s\n", url);
    fflush(stdout);
    int got = 0;
    sigwait(signals, &got);
    http_server_stop(parts->http);
    parts->http = NULL;
    return 0;
}

static int serve(const struct arguments *arguments, const struct serve_config *config) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    json_object_seed(0); /* before threads could race to do it */
    struct parts parts = {0};
    enum status status = make_parts(config, &parts);
    int result = EXIT_FAILED;
    if (status != STATUS_OK)
        complain(arguments, "can't start: %s", status_text(status));
    else if (clock_seconds(parts.clock) < 0)
        complain(arguments, "the system's clock is before 1970: set it first");
    else
        result = serve_until_signal(arguments, config, &parts, &signals);
    free_parts(&parts);
    return result;
}

static int run(const struct arguments *arguments) {
    struct serve_config config = {0};
    int result = read_config(arguments, &config);
    if (result == 0 && keyring_size(config.keyring) == 0)
        complain(arguments, "warning: no --signing-key-file is named, so booking answers 503");
    if (result == 0 && arguments_switch(arguments, "check"))
        printf("the configuration is good\n");
    else if (result == 0)
        result = serve(arguments, &config);
    keyring_release(config.keyring);
    return result;
}

static const struct option options[] = {
    {"listen", "ADDRESS:PORT", "127.0.0.1:8080",
     "where to listen; IPv6 as [::1]:8080; port 0 takes a free one", false},
    {"signing-key-file", "FILE", NULL,
     "a key that signs request states: the file's bytes less one trailing newline, 32 at\n"
     "        least. The first one signs, all verify. Without one, booking answers 503",
     true},
    {"valid-for", "SECONDS", "120", "how long a customer may take to answer, 1 to 86400", false},
    {"max-body", "BYTES", "65536", "the largest request body, 1024 to 16777216", false},
    {"threads", "N", NULL, "worker threads, 1 to 256; as many as there are cores by default",
     false},
    {"ledger", "LEDGER", "memory",
     "where used states are kept; memory: they die with the process, and so do the\n"
     "        conversations under way",
     false},
    {"check", NULL, NULL, "read the whole configuration, say what is wrong with it, and exit",
     false},
};

const struct command command_serve = {
    .name = "serve",
    .operands = "",
    .summary = "answer booking requests over HTTP",
    .details =
        "Serves POST /salons/{salon}/book and GET /openapi.json. Prints one line, 'listening\n"
        "on URL', once it answers. SIGTERM or SIGINT ends it when the requests in flight are\n"
        "answered.",
    .example = "tandem serve --listen 127.0.0.1:8080 --signing-key-file tandem.key",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
