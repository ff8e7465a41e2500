#include "document.h"

#include "hex.h"

#include <stdlib.h>
#include <string.h>

enum { TOKEN_SIZE_MAX = 4096 }; /* of a reference, between two slashes */

/* Undoes the escapes of one token of a reference in place: %xx, then ~1 and ~0. */
static bool decode_token(unsigned char *token, size_t *size) {
    size_t kept = 0;
    for (size_t i = 0; i < *size; i++) {
        unsigned char byte = token[i];
        if (byte == '%') {
            if (*size - i < 3 || !hex_parse((struct bytes){token + i + 1, 2}, &byte, 1))
                return false;
            i += 2;
        }
        token[kept++] = byte;
    }
    *size = kept;
    kept = 0;
    for (size_t i = 0; i < *size; i++) {
        unsigned char byte = token[i];
        if (byte == '~') {
            if (i + 1 == *size || (token[i + 1] != '0' && token[i + 1] != '1'))
                return false;
            byte = token[++i] == '0' ? '~' : '/';
        }
        token[kept++] = byte;
    }
    *size = kept;
    return true;
}

static json_t *item_named(json_t *array, struct bytes digits) {
    size_t index = 0;
    if (digits.size == 0 || digits.size > 6)
        return NULL;
    for (size_t i = 0; i < digits.size; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9')
            return NULL;
        index = index * 10 + (digits.data[i] - '0');
    }
    return json_array_get(array, index);
}

static json_t *step_into(json_t *node, struct bytes token) {
    unsigned char name[TOKEN_SIZE_MAX];
    size_t size = token.size;
    if (size > sizeof name)
        return NULL;
    if (size > 0)
        memcpy(name, token.data, size);
    if (!decode_token(name, &size))
        return NULL;
    struct bytes decoded = {name, size};
    return json_is_array(node) ? item_named(node, decoded) : node_member_named(node, decoded);
}

json_t *reference_target(json_t *root, struct bytes reference) {
    if (reference.size == 0 || reference.data[0] != '#')
        return NULL;
    struct bytes rest = bytes_from(reference, 1);
    json_t *node = root;
    while (node != NULL && rest.size > 0) {
        if (rest.data[0] != '/')
            return NULL;
        rest = bytes_from(rest, 1);
        size_t end = bytes_find(rest, '/');
        node = step_into(node, bytes_up_to(rest, end));
        rest = bytes_from(rest, end);
    }
    return node;
}

json_t *reference_follow(json_t *root, json_t *node) {
    enum { CHAIN_MOST = 64 };
    for (int i = 0; i < CHAIN_MOST; i++) {
        json_t *reference = node_member(node, "$ref");
        if (!json_is_string(reference))
            return node;
        node = reference_target(root, json_text(reference));
        if (!json_is_object(node))
            return NULL;
    }
    return NULL;
}

static enum status read_provider(struct bytes text, struct contract_provider *provider,
                                 struct contract_problem *problem) {
    enum status status = input_read(text, CONTRACT_PROVIDER_SIZE_MAX, &provider->tree, problem);
    if (status != STATUS_OK)
        return status;
    provider->root = provider->tree.root;
    status = document_check(provider->root, problem);
    if (status != STATUS_OK)
        return status;
    status = input_read(BYTES("{\"type\":\"null\"}"), CONTRACT_PROVIDER_SIZE_MAX,
                        &provider->null_tree, problem);
    provider->null_schema = provider->null_tree.root;
    struct bytes version = json_text(node_member(provider->root, "openapi"));
    provider->heeds_siblings =
        version.size > 0 && !bytes_equal(bytes_up_to(version, 3), BYTES("3.0"));
    return status;
}

enum status contract_provider_read(struct bytes text, struct contract_provider **out,
                                   struct contract_problem *problem) {
    struct contract_provider *provider = calloc(1, sizeof *provider);
    if (provider == NULL)
        return STATUS_NO_MEMORY;
    enum status status = read_provider(text, provider, problem);
    if (status == STATUS_OK)
        *out = provider;
    else
        contract_provider_free(provider);
    return status;
}

void contract_provider_free(struct contract_provider *provider) {
    if (provider == NULL)
        return;
    json_tree_done(&provider->tree);
    json_tree_done(&provider->null_tree);
    free(provider);
}
