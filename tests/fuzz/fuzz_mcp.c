/* A JSON-RPC message to the whole endpoint, at a service whose key nobody else has: whatever comes,
 * the reply is whole, and no state of somebody else's completes. */
#include "book_tool.h"
#include "header_value.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct service *service;
static struct mcp_tool tool;

static int64_t fixed_time(void *context) {
    (void)context;
    return 1791018000000000;
}

static enum status no_nonce(void *context, unsigned char nonce[NONCE_SIZE], bool *has_nonce) {
    (void)context;
    (void)nonce;
    *has_nonce = false;
    return STATUS_OK;
}

static void set_up(void) {
    const struct clock_source source = {fixed_time, fixed_time, NULL};
    const struct bytes key = BYTES("a key for fuzzing, 32 bytes long");
    struct service_config config = {
        .nonces = {no_nonce, NULL}, .valid_for = 120, .body_size_max = BODY_SIZE_DEFAULT};
    struct keyring *keyring = NULL;
    if (keyring_new(&key, 1, &keyring) != STATUS_OK ||
        clock_new(source, &config.clock) != STATUS_OK ||
        ledger_memory_new(1000, NULL, &config.ledger) != STATUS_OK ||
        service_new(&config, keyring, &service) != STATUS_OK)
        abort();
    keyring_release(keyring);
    tool = book_tool(service);
}

/* A reply is one JSON object that says one thing; none has a null id. */
static void check(void *context, struct mcp_reply *reply) {
    const struct bytes body = buffer_bytes(&reply->body);
    (void)context;
    if (reply->body.status != STATUS_OK)
        abort();
    if (body.size > 0) {
        json_t *root = json_loadb((const char *)body.data, body.size, JSON_REJECT_DUPLICATES, NULL);
        bool has_result = json_is_object(json_object_get(root, "result"));
        bool has_error = json_is_object(json_object_get(root, "error"));
        if (root == NULL || has_result == has_error || json_is_null(json_object_get(root, "id")) ||
            (has_result && json_object_get(root, "id") == NULL))
            abort();
        json_decref(root);
    }
    if ((body.size == 0) != (reply->status == 202))
        abort();
    buffer_done(&reply->body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (service == NULL)
        set_up();
    const struct mcp_server server = {
        .name = "fuzz", .version = "1", .instructions = "none", .tools = &tool, .tool_count = 1};
    const struct bytes message = {data, size};
    mcp_answer(&server, message, NULL, check, NULL);
    const struct bytes version = BYTES("2026-07-28"), method = BYTES("tools/call");
    const struct bytes name = bytes_up_to(message, 32);
    const struct mcp_headers headers = {&version, &method, &name};
    mcp_answer(&server, message, &headers, check, NULL);
    header_value_is(message, name);
    return 0;
}
