#include "commands.h"

#include "interrupt.h"
#include "mcp_drive.h"
#include "mcp_report.h"
#include "output.h"

#include <signal.h>

enum { WHERE_SIZE_MAX = 1048576, DETAIL_SIZE_MAX = 65536 };

static void write_where(struct mcp *mcp) {
    struct buffer *where = &mcp->where;
    if (mcp->config.url != NULL)
        buffer_append_text(where, mcp->config.url);
    for (size_t i = 0; mcp->config.url == NULL && mcp->config.words[i] != NULL; i++) {
        if (i > 0)
            buffer_append_byte(where, ' ');
        buffer_append_text(where, mcp->config.words[i]);
    }
    buffer_append_byte(where, '\0');
}

/* Whether forms can be answered; a server is never offered what can't be done. */
static bool can_ask(struct mcp *mcp) {
    const struct mcp_config *config = &mcp->config;
    if (config->operation != SESSION_CALL || config->answers->count > 0 || config->declines)
        return true;
    mcp->has_terminal = terminal_init(&mcp->terminal, false, config->is_json, mcp->interrupt_file);
    return mcp->has_terminal;
}

static enum status make_session(struct mcp *mcp) {
    const struct session_config config = {
        .operation = mcp->config.operation,
        .is_http = mcp->config.url != NULL,
        .protocol = mcp->config.protocol,
        .client_version = TANDEM_VERSION,
        .can_ask = can_ask(mcp),
        .tool = mcp->config.tool,
        .arguments = mcp->config.tool_arguments,
        .on_message = mcp_report_message,
        .on_warning = mcp_report_warning,
        .context = mcp,
    };
    return session_new(&config, &mcp->session);
}

/* Returns 0 when there is something to report, or the exit code. */
static int converse(struct mcp *mcp) {
    write_where(mcp);
    enum status status = mcp->where.status == STATUS_OK ? make_session(mcp) : STATUS_NO_MEMORY;
    if (status != STATUS_OK)
        return output_failure(mcp->config.is_json, EXIT_FAILED, bytes_of_text(status_text(status)),
                              NULL);
    return mcp->config.url != NULL ? drive_http(mcp) : drive_stdio(mcp);
}

static int run(const struct arguments *arguments) {
    struct mcp mcp = {.arguments = arguments,
                      .where = buffer_new(WHERE_SIZE_MAX),
                      .detail = buffer_new(DETAIL_SIZE_MAX)};
    int result = mcp_config_read(arguments, &mcp.config);
    if (result != 0)
        return result;
    signal(SIGPIPE, SIG_IGN);
    /* All that could end it, since a command that was started has to be ended first. */
    mcp.interrupt_file = interrupt_open((const int[]){SIGINT, SIGTERM, SIGHUP, 0});
    if (mcp.interrupt_file < 0) {
        complain(arguments, "can't start: %s", status_text(STATUS_IO));
        return EXIT_FAILED;
    }
    result = converse(&mcp);
    interrupt_close(mcp.interrupt_file); /* printing may block, and is then to be ended */
    if (result == 0)
        result = mcp_report(&mcp);
    session_free(mcp.session);
    if (mcp.has_terminal)
        terminal_done(&mcp.terminal);
    buffer_done(&mcp.where);
    buffer_done(&mcp.detail);
    return result;
}

const struct command command_mcp = {
    .name = "mcp",
    .operands = "discover|tools|call [URL] [TOOL JSON] [-- COMMAND ...]",
    .summary = "talk to an MCP server: what it is, its tools, a call",
    .details =
        "  tandem mcp discover URL            what the server says of itself\n"
        "  tandem mcp tools URL               its tools\n"
        "  tandem mcp call URL TOOL JSON      calls one, JSON being its arguments\n"
        "With --stdio a command takes the URL's place: tandem mcp tools --stdio -- COMMAND ...\n\n"
        "What the server asks is asked at the terminal: an empty line takes the default,\n"
        "/decline declines, /cancel leaves.\n\n"
        "Exit status: 0 a result; 3 the tool says that it failed, or a form was declined or\n"
        "cancelled; 1 failed: no reply, a refusal, a reply that breaks the protocol, no such\n"
        "tool, an answer that doesn't fit the form; 2 wrong usage; 5 an answer was sent, and\n"
        "nobody can say what became of it; 128 and a signal's number (130: Ctrl-C)\n"
        "interrupted before that.",
    .example = "tandem mcp call http://127.0.0.1:8080/mcp book '{\"salon\":\"elm-street\","
               "\"message\":\"a trim\",\"openSlots\":[\"sat-10:30\",\"sat-11:30\"]}'",
    .operands_most = MCP_OPERANDS_MOST,
    .options = mcp_options,
    .option_count = MCP_OPTION_COUNT,
    .run = run,
};
