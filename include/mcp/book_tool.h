/* The tool `book`: the booking service as agents call it. It shares states and the digest of a
 * booking with the booking route, so a state of one entrance completes at the other. */
#ifndef TANDEM_BOOK_TOOL_H
#define TANDEM_BOOK_TOOL_H

#include "mcp_tool.h"
#include "service.h"

/* What an agent reads of the server as a whole. */
extern const char BOOK_INSTRUCTIONS[];

/* The table's row. `service` is borrowed for as long as it is called. */
struct mcp_tool book_tool(struct service *service);

#endif
