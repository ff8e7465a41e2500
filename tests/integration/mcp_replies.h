/* Replies for servers that play a script to "tandem mcp". */
#ifndef TANDEM_TEST_MCP_REPLIES_H
#define TANDEM_TEST_MCP_REPLIES_H

#include "book_replies.h"

/* session_expect without a terminal. */
static inline void expect(const char *name, const char *const *words, int exit_code,
                          const char *out, const char *error) {
    const struct session_options options = {.words = words};
    session_expect(name, &options, exit_code, out, error);
}

#define MCP_REPLY(id, members) "{\"jsonrpc\":\"2.0\",\"id\":" id "," members "}"
#define MCP_RESULT(id, members) MCP_REPLY(id, "\"result\":{" members "}")
#define MCP_ERROR(id, code, text)                                                                  \
    MCP_REPLY(id, "\"error\":{\"code\":" code ",\"message\":\"" text "\"}")
#define MCP_DISCOVERED                                                                             \
    MCP_RESULT("1", "\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"          \
                    "\"capabilities\":{},\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{"      \
                    "\"name\":\"fake\\u001b\",\"version\":\"2\"}},\"instructions\":\"one\\ntwo\"")
#define MCP_TOOLS(id)                                                                              \
    MCP_RESULT(id, "\"tools\":[{\"name\":\"book\",\"title\":\"Book\",\"description\":\"Books a "   \
                   "visit\",\"inputSchema\":{\"type\":\"object\"}}]")
#define MCP_SAYS(id, text) MCP_RESULT(id, "\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]")
#define MCP_ELICITATION(message, properties, required)                                             \
    "{\"message\":\"" message                                                                      \
    "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties                      \
    "},\"required\":[" required "]}}"
#define MCP_ASKS(id, elicitation, rest)                                                            \
    MCP_RESULT(id, "\"resultType\":\"input_required\",\"inputRequests\":{\"q\":{\"method\":"       \
                   "\"elicitation/create\",\"params\":" elicitation "}}" rest)
#define MCP_TIME                                                                                   \
    MCP_ELICITATION("Which time?", "\"time\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}",        \
                    "\"time\"")
#define MCP_STREAM(events) WITH_STATUS("200 OK", "text/event-stream", events)
#define MCP_EVENT(message) "data: " message "\n\n"
#define MCP_INITIALIZED(id)                                                                        \
    MCP_RESULT(id, "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{"       \
                   "\"name\":\"old\",\"version\":\"1\"}")

#endif
