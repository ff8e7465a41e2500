#include "call.h"
#include "header_value.h"

#include <string.h>

static bool fail(struct mcp_problem *problem, enum mcp_code code, const char *text) {
    *problem = (struct mcp_problem){.status = 400, .code = code, .text = text};
    return false;
}

const char *handshake_version_find(struct bytes version) {
    static const char *const versions[] = {"2025-06-18", HANDSHAKE_VERSION};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        if (bytes_equal(bytes_of_text(versions[i]), version))
            return versions[i];
    return NULL;
}

/* True for a version that is the modern one or comes after it; versions are dates. */
static bool is_modern_version(struct bytes version) {
    struct bytes first = BYTES(MODERN_VERSION);
    size_t size = version.size < first.size ? version.size : first.size;
    int order = size == 0 ? 0 : memcmp(version.data, first.data, size);
    return order > 0 || (order == 0 && version.size >= first.size);
}

static bool check_handshake(const struct mcp_headers *headers, struct mcp_problem *problem) {
    if (headers == NULL || headers->version == NULL)
        return true;
    if (is_modern_version(*headers->version))
        return fail(problem, MCP_INVALID_PARAMS,
                    "params._meta[\"" META_VERSION "\"] is missing, as MCP-Protocol-Version asks "
                    "for it");
    if (handshake_version_find(*headers->version) != NULL)
        return true;
    return fail(problem, MCP_INVALID_REQUEST,
                "MCP-Protocol-Version is none of 2025-06-18, 2025-11-25 and " MODERN_VERSION);
}

static bool check_meta(struct mcp_call *call, const json_t *meta, struct mcp_problem *problem) {
    call->capabilities = json_object_get(meta, META_CAPABILITIES);
    if (!json_is_string(json_object_get(meta, META_VERSION)))
        return fail(problem, MCP_INVALID_PARAMS,
                    "params._meta[\"" META_VERSION "\"] is not a string");
    if (!json_is_object(call->capabilities))
        return fail(problem, MCP_INVALID_PARAMS,
                    "params._meta[\"" META_CAPABILITIES "\"] is missing, or not an object");
    return true;
}

static bool check_version(const struct mcp_headers *headers, struct bytes version,
                          struct mcp_problem *problem) {
    if (headers != NULL && headers->version == NULL)
        return fail(problem, MCP_HEADER_MISMATCH, "the header MCP-Protocol-Version is missing");
    if (headers != NULL && !bytes_equal(*headers->version, version))
        return fail(problem, MCP_HEADER_MISMATCH,
                    "the header MCP-Protocol-Version is not the version of params._meta");
    if (bytes_equal(version, BYTES(MODERN_VERSION)))
        return true;
    fail(problem, MCP_UNSUPPORTED_VERSION, "Unsupported protocol version");
    problem->requested = version;
    return false;
}

static bool check_name(const struct mcp_call *call, const struct bytes *header,
                       struct mcp_problem *problem) {
    const json_t *name = json_object_get(call->request.params, "name");
    if (header == NULL && !json_is_string(name))
        return true; /* told by the check of params */
    if (header == NULL)
        return fail(problem, MCP_HEADER_MISMATCH, "the header Mcp-Name is missing");
    if (!json_is_string(name) || !header_value_is(*header, json_text(name)))
        return fail(problem, MCP_HEADER_MISMATCH, "the header Mcp-Name is not params.name");
    return true;
}

static bool check_headers(const struct mcp_call *call, const struct mcp_headers *headers,
                          struct mcp_problem *problem) {
    if (headers == NULL)
        return true;
    if (headers->method == NULL)
        return fail(problem, MCP_HEADER_MISMATCH, "the header Mcp-Method is missing");
    if (!header_value_is(*headers->method, call->request.method))
        return fail(problem, MCP_HEADER_MISMATCH, "the header Mcp-Method is not the method");
    return !bytes_equal(call->request.method, BYTES("tools/call")) ||
           check_name(call, headers->name, problem);
}

bool call_check(struct mcp_call *call, const struct mcp_headers *headers,
                struct mcp_problem *problem) {
    const json_t *meta = json_object_get(call->request.params, "_meta");
    const json_t *version = json_object_get(meta, META_VERSION);
    call->is_modern = version != NULL;
    if (!call->is_modern)
        return check_handshake(headers, problem);
    return check_meta(call, meta, problem) && check_version(headers, json_text(version), problem) &&
           check_headers(call, headers, problem);
}
