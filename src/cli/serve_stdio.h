/* MCP over standard input and output: one message a line (basic/transports, stdio). Private to cli.
 */
#ifndef TANDEM_SERVE_STDIO_H
#define TANDEM_SERVE_STDIO_H

#include "http_server.h"
#include "mcp.h"

struct stdio_config {
    const struct mcp_server *server;
    size_t line_size_max;          /* bytes; a longer line is refused, and skipped */
    int signals;                   /* a signalfd that doesn't block */
    http_observer *observe;        /* called from any thread, as http's */
    void (*reload)(void *context); /* at SIGHUP; in any thread */
    void *context;
};

/* Answers until the input ends, a signal other than SIGHUP comes, or nobody reads the output, and
 * what was asked by then is answered. False when it ended because the input or the output failed.
 */
bool stdio_serve(const struct stdio_config *config);

#endif
