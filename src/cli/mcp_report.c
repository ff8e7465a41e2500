#include "mcp_report.h"

#include "output.h"
#include "visible_text.h"

void mcp_report_message(void *context, bool is_ours, struct bytes message) {
    const struct mcp *mcp = context;
    if (!mcp->config.traces)
        return;
    struct buffer shortened = buffer_new(OUTPUT_SIZE_MAX);
    struct buffer line = buffer_new(OUTPUT_SIZE_MAX);
    session_shorten_states(&shortened, message);
    buffer_append(&line, is_ours ? BYTES("> ") : BYTES("< "));
    buffer_append(&line, buffer_bytes(&shortened));
    output_line(stderr, buffer_bytes(&line));
    buffer_done(&line);
    buffer_done(&shortened);
}

void mcp_report_warning(void *context, struct bytes text) {
    (void)context;
    struct buffer line = buffer_new(OUTPUT_SIZE_MAX);
    buffer_append_text(&line, "warning: ");
    buffer_append(&line, text);
    output_line(stderr, buffer_bytes(&line));
    buffer_done(&line);
}

static bool print_json(const struct session_result *result, bool is_opening) {
    struct buffer line = buffer_new(OUTPUT_SIZE_MAX);
    if (is_opening) {
        buffer_append(&line, BYTES("{\"protocol\":"));
        visible_json_write(&line, result->protocol);
        buffer_append(&line, BYTES(",\"result\":"));
    }
    visible_json_text_write(&line, result->json);
    buffer_append_text(&line, is_opening ? "}\n" : "\n");
    return output_text(stdout, &line);
}

static void add_row(struct buffer *out, const char *name, struct bytes value) {
    if (value.size == 0)
        return;
    buffer_append_text(out, name);
    visible_lines_write(out, value, "    ");
    buffer_append_byte(out, '\n');
}

static bool print_opening(const struct session_result *result) {
    struct buffer text = buffer_new(OUTPUT_SIZE_MAX);
    add_row(&text, "server: ", result->server_name);
    add_row(&text, "version: ", result->server_version);
    add_row(&text, "protocol: ", result->protocol);
    buffer_append_text(&text,
                       result->is_modern ? "era: requests that stand alone\n" : "era: handshake\n");
    add_row(&text, "instructions: ", result->instructions);
    return output_text(stdout, &text);
}

static bool print_tools(const struct session_result *result) {
    struct buffer text = buffer_new(OUTPUT_SIZE_MAX);
    for (size_t i = 0; i < result->tool_count; i++) {
        const struct session_tool *tool = &result->tools[i];
        visible_text_write(&text, tool->name);
        if (tool->title.size > 0) {
            buffer_append(&text, BYTES(" ("));
            visible_text_write(&text, tool->title);
            buffer_append_byte(&text, ')');
        }
        buffer_append_byte(&text, '\n');
        if (tool->description.size > 0) {
            buffer_append(&text, BYTES("    "));
            visible_lines_write(&text, tool->description, "    ");
            buffer_append_byte(&text, '\n');
        }
    }
    return output_text(stdout, &text);
}

static bool print_say(struct bytes say) {
    struct buffer text = buffer_new(OUTPUT_SIZE_MAX);
    visible_lines_write(&text, say, "");
    buffer_append_byte(&text, '\n');
    return output_text(stdout, &text);
}

/* An --answer that no form asked for is most likely a slip of the pen. */
static void warn_of_unused_answers(const struct mcp *mcp) {
    for (size_t i = 0; i < mcp->config.answers->count; i++) {
        if (mcp->is_answer_used[i])
            continue;
        struct buffer line = buffer_new(OUTPUT_SIZE_MAX);
        buffer_append_text(&line, "warning: no form asked for --answer ");
        buffer_append_text(&line, mcp->config.answers->items[i]);
        output_line(stderr, buffer_bytes(&line));
        buffer_done(&line);
    }
}

static bool print_result(const struct mcp *mcp, const struct session_result *result) {
    enum session_operation operation = mcp->config.operation;
    if (mcp->config.is_json)
        return print_json(result, operation == SESSION_DISCOVER);
    if (operation == SESSION_DISCOVER)
        return print_opening(result);
    return operation == SESSION_TOOLS ? print_tools(result) : print_say(result->say);
}

static int report_result(const struct mcp *mcp, const struct session_result *result) {
    bool is_printed = print_result(mcp, result);
    warn_of_unused_answers(mcp);
    if (result->is_error || session_was_declined(mcp->session))
        return EXIT_DECLINED;
    if (is_printed)
        return 0;
    if (mcp->config.operation != SESSION_CALL)
        return EXIT_FAILED;
    output_line(stderr, BYTES("the tool has run; look before you try again"));
    return EXIT_UNKNOWN;
}

static void print_more(const struct mcp *mcp, const struct session_problem *problem) {
    struct buffer line = buffer_new(OUTPUT_SIZE_MAX);
    if (problem->location.size > 0) {
        buffer_append_text(&line, "it pointed to ");
        buffer_append(&line, problem->location);
        output_line(stderr, buffer_bytes(&line));
    }
    if (mcp->detail.size > 0)
        output_line(stderr, buffer_bytes(&mcp->detail));
    if (problem->id > 0) {
        buffer_clear(&line);
        buffer_append_text(&line, "that was request ");
        buffer_append_integer(&line, problem->id);
        buffer_append_text(&line, ", ");
        buffer_append(&line, problem->method);
        output_line(stderr, buffer_bytes(&line));
    }
    if (mcp->config.url == NULL && bytes_equal(problem->method, BYTES("server/discover")))
        output_line(stderr, BYTES("an older server may not know that: try --protocol 2025-11-25"));
    buffer_done(&line);
}

static int report_problem(const struct mcp *mcp, const struct session_problem *problem) {
    bool is_unknown = problem->outcome_is_unknown;
    int code = output_failure(mcp->config.is_json, is_unknown ? EXIT_UNKNOWN : EXIT_FAILED,
                              problem->text, is_unknown ? MCP_OUTCOME_IS_UNKNOWN : NULL);
    print_more(mcp, problem);
    return code;
}

int mcp_report(const struct mcp *mcp) {
    const struct session_problem *problem = session_problem(mcp->session);
    return problem != NULL ? report_problem(mcp, problem)
                           : report_result(mcp, session_result(mcp->session));
}
