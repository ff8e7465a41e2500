/* Carrying a session's messages: over HTTP, or to a command and back. Private to cli. */
#ifndef TANDEM_MCP_DRIVE_H
#define TANDEM_MCP_DRIVE_H

#include "mcp_config.h"
#include "options.h"
#include "terminal.h"

/* What "tandem mcp" consists of. */
struct mcp {
    const struct arguments *arguments;
    struct mcp_config config;
    int interrupt_file;
    struct terminal terminal;
    bool has_terminal;
    struct session *session;
    bool is_answer_used[VALUES_MOST]; /* of --answer */
    struct buffer where;              /* the URL or the command, ended by a NUL */
    struct buffer detail;             /* why there was no reply; may be empty */
};

/* Each drives the session until it is done or has failed. Returns 0, or the exit code when it went
 * no further. */
int drive_http(struct mcp *mcp);
int drive_stdio(struct mcp *mcp);

/* Answers the session's question. Returns 0, or the exit code when nothing is to be said. */
int drive_answer(struct mcp *mcp);

/* The exit code of an interruption: whether an answer is under way makes the difference. Says so
 * when it does. */
int drive_interrupted(const struct mcp *mcp);

/* Complains that the program could not go on, and returns the exit code. */
int drive_status(const struct mcp *mcp, enum status status);

/* Milliseconds of a clock that never runs back. */
int64_t drive_now(void);

#endif
