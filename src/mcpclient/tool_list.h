/* The tools of a server, gathered from the pages of its list. Pure. Private to mcpclient. */
#ifndef TANDEM_TOOL_LIST_H
#define TANDEM_TOOL_LIST_H

#include "mcp_json.h"
#include "mcp_session.h"

/* Hears of a tool that is left out. NULL: nobody does. */
typedef void tool_list_warning(void *context, struct bytes text);

struct tool_list {
    struct session_tool *tools; /* owned; its JSON is released with it */
    const json_t **schemas;     /* owned; of each tool, borrowed from the pages */
    size_t count;
    struct json_tree *pages; /* owned */
    size_t page_count;
    size_t size;         /* of the tools' JSON */
    struct bytes cursor; /* where the next page begins; empty: there is none */
};

void tool_list_done(struct tool_list *list);

/* Adds the page that `result` (of `document`) is, and takes the document over. Left out, with a
 * warning: a tool without a name or a schema, one that was there already, and, where arguments are
 * mirrored, one whose x-mcp-header is wrong. STATUS_INVALID and what is wrong with the page (static
 * storage); STATUS_LIMIT, with a text too; STATUS_NO_MEMORY. The document is released in any case.
 */
enum status tool_list_add(struct tool_list *list, struct json_tree *document, const json_t *result,
                          bool is_mirrored, tool_list_warning *warn, void *context,
                          const char **problem);

/* The index of a tool; `count` when there is none. */
size_t tool_list_find(const struct tool_list *list, struct bytes name);

#endif
