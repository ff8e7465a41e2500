/* The options of `tandem serve`, and what they say. Private to cli. */
#ifndef TANDEM_SERVE_CONFIG_H
#define TANDEM_SERVE_CONFIG_H

#include "keyring.h"
#include "ledger_url.h"
#include "options.h"
#include "serve_mcp.h"
#include "telemetry.h"

struct serve_config {
    const char *listen;
    const char *admin;       /* or NULL */
    struct keyring *keyring; /* owned */
    const struct values *key_files;
    const struct values *origins;
    enum log_level log_level;
    int64_t valid_for;
    int64_t body_size_max;
    int64_t threads;
    int64_t timeout;
    int64_t connections_max;
    int64_t per_client_max;
    int64_t used_states_max;
    char ledger_url[LEDGER_URL_SIZE];
    bool exclusive_slots;
    bool has_mcp;
    bool is_stdio; /* MCP over standard input and output, and no listener */
    struct http_hosts mcp_hosts;
    const char *mcp_host_names[VALUES_MOST + LOOPBACK_NAME_COUNT]; /* the hosts' */
    int64_t replay_window;
};

enum { SERVE_OPTION_COUNT = 19, ADMIN_CONNECTIONS = 64 };
extern const struct option serve_options[SERVE_OPTION_COUNT];

/* Reads the whole configuration and says all that is wrong with it. Returns 0 or an exit code. */
int serve_config_read(const struct arguments *arguments, struct serve_config *config);
void serve_config_done(struct serve_config *config);

#endif
