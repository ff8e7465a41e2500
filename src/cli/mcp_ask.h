/* Answering a server's form: from the command line, or by a person at a terminal. Private to cli.
 */
#ifndef TANDEM_MCP_ASK_H
#define TANDEM_MCP_ASK_H

#include "mcp_session.h"
#include "options.h"
#include "terminal.h"

enum ask_end {
    ASK_ACCEPTED,
    ASK_DECLINED,
    ASK_CANCELLED,
    ASK_INTERRUPTED,
    ASK_FAILED, /* the answers given don't fit, or there is no memory */
};

/* Fills the form from --answer; a field that isn't named gets its default. Which of them were used
 * is marked in `is_used`. With ASK_ACCEPTED the members of the content are in `content`, with
 * ASK_FAILED the reason is in `problem`. */
enum ask_end ask_answers(const struct session_question *question, const struct values *answers,
                         bool *is_used, struct buffer *content, struct buffer *problem);

/* Shows who asks what, and asks for field after field until each answer fits. `where` is how the
 * server is reached. */
enum ask_end ask_person(const struct terminal *terminal, const struct session_question *question,
                        const char *where, struct buffer *content, struct buffer *problem);

#endif
