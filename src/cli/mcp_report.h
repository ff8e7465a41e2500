/* How "tandem mcp" ends: what is printed, and the exit code. Private to cli. */
#ifndef TANDEM_MCP_REPORT_H
#define TANDEM_MCP_REPORT_H

#include "mcp_drive.h"

#define MCP_OUTCOME_IS_UNKNOWN                                                                     \
    "the answer was sent, and nobody can say what became of it; look before you try again"

enum { EXIT_DECLINED = 3 };

/* Prints what the session gave, and returns the exit code. */
int mcp_report(const struct mcp *mcp);

/* Hear of messages and warnings; `context` is a struct mcp. */
void mcp_report_message(void *context, bool is_ours, struct bytes message);
void mcp_report_warning(void *context, struct bytes text);

#endif
