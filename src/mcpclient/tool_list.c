#include "tool_list.h"

#include "mirror.h"

#include <stdlib.h>

enum { WARNING_SIZE_MAX = 4096, NAME_SHOWN_MAX = 128, TOOLS_MOST = 10000 };

void tool_list_done(struct tool_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free((void *)(uintptr_t)list->tools[i].json.data);
    for (size_t i = 0; i < list->page_count; i++)
        json_tree_done(&list->pages[i]);
    free(list->tools);
    free(list->schemas);
    free(list->pages);
    *list = (struct tool_list){0};
}

size_t tool_list_find(const struct tool_list *list, struct bytes name) {
    size_t i = 0;
    while (i < list->count && !bytes_equal(list->tools[i].name, name))
        i++;
    return i;
}

/* Why a tool is left out, or NULL. */
static const char *fault_of(const struct tool_list *list, const json_t *tool, bool is_mirrored) {
    const json_t *schema = json_object_get(tool, "inputSchema");
    if (mcp_json_member_text(tool, "name").size == 0)
        return "it has no name";
    if (!json_is_object(schema))
        return "it has no inputSchema";
    if (tool_list_find(list, mcp_json_member_text(tool, "name")) < list->count)
        return "there is another one of that name";
    return is_mirrored ? mirror_problem(schema) : NULL;
}

static void warn_of(const json_t *tool, const char *fault, tool_list_warning *warn, void *context) {
    if (warn == NULL)
        return;
    struct buffer text = buffer_new(WARNING_SIZE_MAX);
    struct bytes name = mcp_json_member_text(tool, "name");
    buffer_append_text(&text, "the tool \"");
    buffer_append(&text, bytes_up_to(name, NAME_SHOWN_MAX));
    buffer_append_text(&text, "\" is left out: ");
    buffer_append_text(&text, fault);
    warn(context, buffer_bytes(&text));
    buffer_done(&text);
}

static enum status add_tool(struct tool_list *list, const json_t *tool) {
    struct buffer json = buffer_new(SESSION_LIST_SIZE_MAX);
    json_value_write(&json, tool);
    enum status status = json.status;
    if (status != STATUS_OK) {
        buffer_done(&json);
        return status;
    }
    size_t size = json.size;
    list->size += size;
    list->schemas[list->count] = json_object_get(tool, "inputSchema");
    list->tools[list->count++] = (struct session_tool){
        .name = mcp_json_member_text(tool, "name"),
        .title = mcp_json_member_text(tool, "title"),
        .description = mcp_json_member_text(tool, "description"),
        .json = {buffer_take(&json), size},
    };
    return list->size > SESSION_LIST_SIZE_MAX || list->count == TOOLS_MOST ? STATUS_LIMIT
                                                                           : STATUS_OK;
}

/* Room for the page and its tools. */
static enum status make_room(struct tool_list *list, size_t more) {
    struct session_tool *tools =
        reallocarray(list->tools, list->count + more + 1, sizeof *list->tools);
    if (tools == NULL)
        return STATUS_NO_MEMORY;
    list->tools = tools;
    const json_t **schemas = (const json_t **)(uintptr_t)reallocarray(
        (void *)(uintptr_t)list->schemas, list->count + more + 1, sizeof *list->schemas);
    if (schemas == NULL)
        return STATUS_NO_MEMORY;
    list->schemas = schemas;
    struct json_tree *pages = reallocarray(list->pages, list->page_count + 1, sizeof *list->pages);
    if (pages == NULL)
        return STATUS_NO_MEMORY;
    list->pages = pages;
    return STATUS_OK;
}

static enum status add_tools(struct tool_list *list, const json_t *tools, bool is_mirrored,
                             tool_list_warning *warn, void *context) {
    for (size_t i = 0; i < json_array_size(tools); i++) {
        const json_t *tool = json_array_get(tools, i);
        const char *fault = fault_of(list, tool, is_mirrored);
        if (fault != NULL) {
            warn_of(tool, fault, warn, context);
            continue;
        }
        enum status status = add_tool(list, tool);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static const char *fault_of_page(const struct tool_list *list, const json_t *result) {
    const json_t *cursor = json_object_get(result, "nextCursor");
    if (!json_is_array(json_object_get(result, "tools")))
        return "the list of tools has no array of tools";
    if (cursor != NULL && !json_is_string(cursor))
        return "the list of tools has a nextCursor that is not a string";
    if (list->cursor.size > 0 && mcp_json_is(cursor, list->cursor))
        return "the list of tools goes on where it was";
    return NULL;
}

enum status tool_list_add(struct tool_list *list, struct json_tree *document, const json_t *result,
                          bool is_mirrored, tool_list_warning *warn, void *context,
                          const char **problem) {
    const json_t *tools = json_object_get(result, "tools");
    *problem = fault_of_page(list, result);
    enum status status = *problem != NULL ? STATUS_INVALID : STATUS_OK;
    if (list->page_count == SESSION_PAGES_MOST) {
        *problem = "the list of tools has more than 100 pages";
        status = STATUS_LIMIT;
    }
    if (status == STATUS_OK)
        status = make_room(list, json_array_size(tools));
    if (status != STATUS_OK) {
        json_tree_done(document);
        return status;
    }
    list->pages[list->page_count++] = *document;
    *document = (struct json_tree){0};
    list->cursor = mcp_json_member_text(result, "nextCursor");
    status = add_tools(list, tools, is_mirrored, warn, context);
    if (status == STATUS_LIMIT)
        *problem = "the list of tools is over the limit";
    return status;
}
