#include "mcp_drive.h"

#include "interrupt.h"
#include "mcp_ask.h"
#include "mcp_report.h"
#include "output.h"

#include <time.h>

enum { CONTENT_SIZE_MAX = 8388608, PROBLEM_SIZE_MAX = 65536 };

int64_t drive_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* What ends it here; what an answer led to is unknown while its reply is under way. */
static int fail(const struct mcp *mcp, struct bytes problem) {
    bool is_unknown = session_outcome_is_unknown(mcp->session);
    return output_failure(mcp->config.is_json, is_unknown ? EXIT_UNKNOWN : EXIT_FAILED, problem,
                          is_unknown ? MCP_OUTCOME_IS_UNKNOWN : NULL);
}

int drive_status(const struct mcp *mcp, enum status status) {
    return fail(mcp, bytes_of_text(status_text(status)));
}

int drive_interrupted(const struct mcp *mcp) {
    if (!session_outcome_is_unknown(mcp->session))
        return interrupt_exit_code();
    return output_failure(mcp->config.is_json, EXIT_UNKNOWN,
                          BYTES("interrupted before the reply came"), MCP_OUTCOME_IS_UNKNOWN);
}

static enum ask_end ask(struct mcp *mcp, const struct session_question *question,
                        struct buffer *content, struct buffer *problem) {
    if (mcp->config.declines)
        return ASK_DECLINED;
    if (mcp->config.answers->count > 0)
        return ask_answers(question, mcp->config.answers, mcp->is_answer_used, content, problem);
    return ask_person(&mcp->terminal, question, (const char *)mcp->where.data, content, problem);
}

static int give(struct mcp *mcp, enum ask_end end, struct bytes content, struct bytes problem) {
    enum session_action action = SESSION_CANCEL;
    switch (end) {
    case ASK_ACCEPTED:
        action = SESSION_ACCEPT;
        break;
    case ASK_DECLINED:
        action = SESSION_DECLINE;
        break;
    case ASK_CANCELLED:
        break;
    case ASK_INTERRUPTED:
        return drive_interrupted(mcp);
    case ASK_FAILED:
        return fail(mcp, problem);
    }
    enum status status = session_answer(mcp->session, action, content);
    return status == STATUS_OK ? 0 : drive_status(mcp, status);
}

int drive_answer(struct mcp *mcp) {
    struct session_question question = session_question(mcp->session);
    struct buffer content = buffer_new(CONTENT_SIZE_MAX);
    struct buffer problem = buffer_new(PROBLEM_SIZE_MAX);
    enum ask_end end = ask(mcp, &question, &content, &problem);
    int result = give(mcp, end, buffer_bytes(&content), buffer_bytes(&problem));
    buffer_done(&content);
    buffer_done(&problem);
    return result;
}
