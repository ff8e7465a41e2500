#include "keyring.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stdatomic.h>
#include <stdlib.h>

struct keyring {
    atomic_size_t users;
    EVP_MD *sha3;
    size_t count;
    /* One context a key, keyed once and never used itself: each message gets a copy, which costs
     * half of keying anew and needs no lock. */
    EVP_MAC_CTX *keyed[];
};

static EVP_MAC_CTX *key_context(EVP_MAC *hmac, struct bytes key) {
    char digest[] = "SHA3-256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    if (context != NULL && EVP_MAC_init(context, key.data, key.size, parameters) == 1)
        return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

static enum status add_keys(struct keyring *keyring, EVP_MAC *hmac, const struct bytes *keys,
                            size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (keys[i].size == 0)
            return STATUS_INVALID;
        keyring->keyed[i] = key_context(hmac, keys[i]);
        if (keyring->keyed[i] == NULL)
            return STATUS_NO_MEMORY;
        keyring->count++;
    }
    return STATUS_OK;
}

enum status keyring_new(const struct bytes *keys, size_t count, struct keyring **out) {
    struct keyring *keyring = calloc(1, sizeof *keyring + count * sizeof keyring->keyed[0]);
    if (keyring == NULL)
        return STATUS_NO_MEMORY;
    atomic_init(&keyring->users, 1);
    keyring->sha3 = EVP_MD_fetch(NULL, "SHA3-256", NULL);
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    enum status status =
        keyring->sha3 == NULL || hmac == NULL ? STATUS_IO : add_keys(keyring, hmac, keys, count);
    EVP_MAC_free(hmac); /* the contexts hold their own references */
    if (status != STATUS_OK) {
        keyring_release(keyring);
        return status;
    }
    *out = keyring;
    return STATUS_OK;
}

struct keyring *keyring_retain(struct keyring *keyring) {
    atomic_fetch_add_explicit(&keyring->users, 1, memory_order_relaxed);
    return keyring;
}

void keyring_release(struct keyring *keyring) {
    if (keyring == NULL || atomic_fetch_sub_explicit(&keyring->users, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < keyring->count; i++)
        EVP_MAC_CTX_free(keyring->keyed[i]); /* libcrypto wipes the key */
    EVP_MD_free(keyring->sha3);
    free(keyring);
}

size_t keyring_size(const struct keyring *keyring) {
    return keyring->count;
}

enum status keyring_mac(const struct keyring *keyring, size_t index, struct bytes message,
                        unsigned char mac[MAC_SIZE]) {
    EVP_MAC_CTX *context = EVP_MAC_CTX_dup(keyring->keyed[index]);
    if (context == NULL)
        return STATUS_NO_MEMORY;
    size_t size = 0;
    bool done = EVP_MAC_update(context, message.data, message.size) == 1 &&
                EVP_MAC_final(context, mac, &size, MAC_SIZE) == 1 && size == MAC_SIZE;
    EVP_MAC_CTX_free(context);
    return done ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status keyring_digest(const struct keyring *keyring, struct bytes message,
                           unsigned char digest[DIGEST_SIZE]) {
    return EVP_Digest(message.data, message.size, digest, NULL, keyring->sha3, NULL) == 1
               ? STATUS_OK
               : STATUS_NO_MEMORY;
}
