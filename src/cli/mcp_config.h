/* The options of "tandem mcp". Private to cli. */
#ifndef TANDEM_MCP_CONFIG_H
#define TANDEM_MCP_CONFIG_H

#include "mcp_session.h"
#include "network_config.h"
#include "transport.h"

enum { MCP_OPTION_COUNT = 9, MCP_OPERANDS_MOST = 60 };

extern const struct option mcp_options[MCP_OPTION_COUNT];

/* Borrowed from the arguments. */
struct mcp_config {
    enum session_operation operation;
    const char *url;          /* NULL: over stdio */
    const char *const *words; /* the command over stdio, ended by NULL; NULL: over HTTP */
    struct bytes tool;
    struct bytes tool_arguments; /* JSON */
    const char *protocol;        /* or NULL */
    const struct values *answers;
    bool declines;
    bool is_json;
    bool traces;
    struct network_config network;
    struct transport_header headers[VALUES_MOST]; /* of the user */
    size_t header_count;
};

/* Reads and checks all that can be checked without a server. Returns 0, or complains and returns
 * EXIT_USAGE. The URL is checked by transport. */
int mcp_config_read(const struct arguments *arguments, struct mcp_config *config);

#endif
