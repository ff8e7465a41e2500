/* JSON text to a jansson tree, strictly: UTF-8, no name twice, no nesting deeper than
 * JSON_DEPTH_MAX, nothing behind the value. A NUL in a string is fine: what a server sends back to
 * itself through the client may hold anything. Private to mcpclient. */
#ifndef TANDEM_MCP_JSON_H
#define TANDEM_MCP_JSON_H

#include "json_tree.h"
#include "json_value.h"

enum { JSON_DEPTH_MAX = 64 };

/* STATUS_OK and a tree, released with json_tree_done; STATUS_INVALID and what is wrong (static
 * storage, quotes nothing); STATUS_NO_MEMORY. */
enum status mcp_json_read(struct bytes text, struct json_tree *out, const char **problem);

/* The text of a member that is a string, borrowed; empty when it isn't there or is something else.
 */
struct bytes mcp_json_member_text(const json_t *object, const char *name);

bool mcp_json_is(const json_t *value, struct bytes text);

/* The member of that name, which may hold anything but NUL; NULL when there is none. */
const json_t *mcp_json_member(const json_t *object, struct bytes name);

#endif
