#include "requeststate.h"

#include "check.h"
#include "hex.h"

#include <openssl/crypto.h>
#include <string.h>

/* The digest's input is at most a body in size, each byte of it up to 6 in JSON. */
enum { DIGEST_INPUT_MAX = 6 * BODY_SIZE_MOST + 4096 };

static enum status digest_booking(const struct keyring *keyring, const struct booking *booking,
                                  unsigned char digest[DIGEST_SIZE]) {
    struct buffer input = buffer_new(DIGEST_INPUT_MAX);
    wire_digest_input_write(&input, booking);
    enum status status = input.status;
    if (status == STATUS_OK)
        status = keyring_digest(keyring, buffer_bytes(&input), digest);
    buffer_done(&input);
    return status;
}

static enum status append_mac(const struct keyring *keyring, size_t start, struct buffer *out) {
    unsigned char mac[MAC_SIZE];
    enum status status = keyring_mac(keyring, 0, bytes_from(buffer_bytes(out), start), mac);
    if (status != STATUS_OK)
        return status;
    buffer_append_byte(out, '.');
    unsigned char *digits = buffer_extend(out, 2 * MAC_SIZE);
    if (digits != NULL)
        hex_write((struct bytes){mac, MAC_SIZE}, digits);
    return out->status;
}

enum status requeststate_issue(const struct keyring *keyring, int64_t good_until,
                               const unsigned char *nonce, const struct booking *booking,
                               struct offer offered, struct buffer *out) {
    if (keyring_size(keyring) == 0)
        return STATUS_INVALID;
    unsigned char digest[DIGEST_SIZE];
    enum status status = digest_booking(keyring, booking, digest);
    if (status != STATUS_OK)
        return status;
    size_t start = out->size;
    wire_claims_write(out, good_until, nonce, offered, digest);
    return out->status == STATUS_OK ? append_mac(keyring, start, out) : out->status;
}

/* A state's two parts. */
struct parts {
    struct bytes payload;
    struct bytes mac_digits;
};

/* Splits at the last dot, which is where a MAC's digits, that hold none, leave it. */
static bool split(struct bytes text, struct parts *parts) {
    if (text.size <= 2 * MAC_SIZE)
        return false;
    size_t dot = text.size - 2 * MAC_SIZE - 1;
    if (!check(CHECK_STATE_SPLIT, text.data[dot] == '.'))
        return false;
    *parts = (struct parts){bytes_up_to(text, dot), bytes_from(text, dot + 1)};
    return true;
}

/* The MAC is compared against every key, in constant time. */
static enum verdict verify_mac(const struct keyring *keyring, const struct parts *parts,
                               unsigned char mac[MAC_SIZE]) {
    if (!hex_parse(parts->mac_digits, mac, MAC_SIZE))
        return VERDICT_NOT_VERIFIED;
    bool matches = false;
    for (size_t i = 0; i < keyring_size(keyring); i++) {
        unsigned char right[MAC_SIZE];
        if (keyring_mac(keyring, i, parts->payload, right) != STATUS_OK)
            return VERDICT_FAILED;
        matches |= CRYPTO_memcmp(mac, right, MAC_SIZE) == 0;
    }
    return check(CHECK_STATE_MAC, matches) ? VERDICT_GOOD : VERDICT_NOT_VERIFIED;
}

static enum verdict verify_claims(const struct keyring *keyring, int64_t now,
                                  const struct booking *booking, const struct wire_claims *claims) {
    unsigned char digest[DIGEST_SIZE];
    unsigned char digits[2 * DIGEST_SIZE];
    if (digest_booking(keyring, booking, digest) != STATUS_OK)
        return VERDICT_FAILED;
    hex_write((struct bytes){digest, DIGEST_SIZE}, digits);
    if (!check(CHECK_STATE_DIGEST,
               bytes_equal(claims->digest, (struct bytes){digits, sizeof digits})))
        return VERDICT_ANOTHER_REQUEST;
    return check(CHECK_STATE_EXPIRY, now <= claims->good_until) ? VERDICT_GOOD : VERDICT_EXPIRED;
}

enum verdict requeststate_verify(const struct keyring *keyring, int64_t now,
                                 const struct booking *booking, struct bytes text,
                                 struct verified_state *state) {
    struct parts parts;
    if (!split(text, &parts))
        return VERDICT_NOT_VERIFIED;
    struct verified_state read = {0};
    enum verdict verdict = verify_mac(keyring, &parts, read.mac);
    if (verdict != VERDICT_GOOD)
        return verdict;
    enum status status = wire_claims_parse(parts.payload, &read.claims);
    if (status == STATUS_NO_MEMORY)
        return VERDICT_FAILED;
    if (!check(CHECK_STATE_CLAIMS, status == STATUS_OK))
        return VERDICT_NOT_VERIFIED;
    verdict = verify_claims(keyring, now, booking, &read.claims);
    if (verdict != VERDICT_GOOD && verdict != VERDICT_EXPIRED) {
        wire_claims_done(&read.claims);
        return verdict;
    }
    *state = read;
    return verdict;
}

void verified_state_done(struct verified_state *state) {
    wire_claims_done(&state->claims);
}
