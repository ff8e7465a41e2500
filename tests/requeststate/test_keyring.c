#include "fixtures.h"

#include "hex.h"
#include "keyring.h"

#include <string.h>

static struct keyring *new_ring(const struct bytes *keys, size_t count) {
    struct keyring *ring = NULL;
    assert_int_equal(keyring_new(keys, count, &ring), STATUS_OK);
    return ring;
}

static void expect_hex(const char *row, const unsigned char *bytes, const char *expected) {
    unsigned char digits[2 * MAC_SIZE];
    hex_write((struct bytes){bytes, MAC_SIZE}, digits);
    struct bytes written = {digits, sizeof digits};
    assert_row_bytes(row, written, bytes_of_text(expected));
}

/* NIST, "HMAC with SHA3-256: example values"; the keys are the bytes 00, 01, 02, ... */
static void _when_nists_samples_are_signed_then_the_macs_are_nists(void **state) {
    (void)state;
    static const struct {
        const char *message;
        size_t key_size;
        const char *mac;
    } rows[] = {
        {"Sample message for keylen<blocklen", 0x20,
         "4fe8e202c4f058e8dddc23d8c34e467343e23555e24fc2f025d598f558f67205"},
        {"Sample message for keylen=blocklen", 0x88,
         "68b94e2e538a9be4103bebb5aa016d47961d4d1aa906061313b557f8af2c3faa"},
        {"Sample message for keylen>blocklen", 0xA8,
         "9bcf2c238e235c3ce88404e813bd2f3a97185ac6f238c63d6229a00b07974258"},
    };
    unsigned char key[0xA8];
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)i;
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct keyring *ring = new_ring(&(struct bytes){key, rows[i].key_size}, 1);
        for (int again = 0; again < 2; again++) {
            unsigned char mac[MAC_SIZE];
            struct bytes message = bytes_of_text(rows[i].message);
            assert_row_number(rows[i].message, keyring_mac(ring, 0, message, mac), STATUS_OK);
            expect_hex(rows[i].message, mac, rows[i].mac);
        }
        keyring_release(ring);
    }
}

/* FIPS 202 examples, as `openssl dgst -sha3-256` gives them too. */
static void _when_bytes_are_digested_then_it_is_sha3_256(void **state) {
    (void)state;
    static const struct {
        struct bytes message;
        const char *digest;
    } rows[] = {
        {ROW_BYTES(""), "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"},
        {ROW_BYTES("abc"), "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"},
    };
    struct keyring *ring = new_ring(NULL, 0);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        unsigned char digest[DIGEST_SIZE];
        assert_int_equal(keyring_digest(ring, rows[i].message, digest), STATUS_OK);
        expect_hex(rows[i].digest, digest, rows[i].digest);
    }
    keyring_release(ring);
}

static void
given_several_keys_when_each_signs_then_the_macs_differ_and_keep_their_order(void **state) {
    (void)state;
    static const struct bytes keys[] = {ROW_BYTES("k"), ROW_BYTES("l"), ROW_BYTES("k\0")};
    struct keyring *ring = new_ring(keys, LENGTH_OF(keys));
    assert_int_equal(keyring_size(ring), LENGTH_OF(keys));
    unsigned char macs[2][MAC_SIZE];
    assert_int_equal(keyring_mac(ring, 0, BYTES("m"), macs[0]), STATUS_OK);
    assert_int_equal(keyring_mac(ring, 1, BYTES("m"), macs[1]), STATUS_OK);
    assert_memory_not_equal(macs[0], macs[1], MAC_SIZE);
    struct keyring *alone = new_ring(&keys[1], 1);
    unsigned char mac[MAC_SIZE];
    assert_int_equal(keyring_mac(alone, 0, BYTES("m"), mac), STATUS_OK);
    assert_memory_equal(mac, macs[1], MAC_SIZE);
    keyring_release(alone);
    keyring_release(ring);
}

static void given_a_ring_when_the_owner_wipes_the_key_then_the_ring_still_signs(void **state) {
    (void)state;
    unsigned char key[] = "0123456789abcdef0123456789abcdef";
    struct keyring *ring = new_ring(&(struct bytes){key, 32}, 1);
    unsigned char before[MAC_SIZE];
    unsigned char after[MAC_SIZE];
    assert_int_equal(keyring_mac(ring, 0, BYTES("m"), before), STATUS_OK);
    memset(key, 0, sizeof key);
    assert_int_equal(keyring_mac(ring, 0, BYTES("m"), after), STATUS_OK);
    assert_memory_equal(before, after, MAC_SIZE);
    keyring_release(ring);
}

static void
given_a_ring_with_two_users_when_one_releases_it_then_the_other_still_signs(void **state) {
    (void)state;
    struct keyring *ring = new_ring(&BYTES("k"), 1);
    assert_ptr_equal(keyring_retain(ring), ring);
    keyring_release(ring);
    unsigned char mac[MAC_SIZE];
    assert_int_equal(keyring_mac(ring, 0, BYTES("m"), mac), STATUS_OK);
    keyring_release(ring);
    keyring_release(NULL);
}

static void _when_a_key_is_empty_then_there_is_no_ring(void **state) {
    (void)state;
    static const struct bytes keys[] = {ROW_BYTES("k"), ROW_BYTES("")};
    struct keyring *ring = NULL;
    assert_int_equal(keyring_new(&keys[1], 1, &ring), STATUS_INVALID);
    assert_int_equal(keyring_new(keys, 2, &ring), STATUS_INVALID);
    assert_null(ring);
}

static void _when_there_are_no_keys_then_the_ring_is_empty(void **state) {
    (void)state;
    struct keyring *ring = new_ring(NULL, 0);
    assert_int_equal(keyring_size(ring), 0);
    keyring_release(ring);
}

struct signer {
    struct keyring *ring;
    unsigned char expected[MAC_SIZE];
    unsigned wrong;
};

static void sign_often(void *context) {
    struct signer *signer = context;
    for (int i = 0; i < 200; i++) {
        struct keyring *ring = keyring_retain(signer->ring);
        unsigned char mac[MAC_SIZE];
        if (keyring_mac(ring, 0, BYTES("message"), mac) != STATUS_OK ||
            memcmp(mac, signer->expected, MAC_SIZE) != 0)
            signer->wrong++;
        keyring_release(ring);
    }
}

static void
given_several_threads_when_they_sign_with_one_ring_then_all_macs_are_right(void **state) {
    (void)state;
    struct keyring *ring = new_ring(&BYTES("0123456789abcdef0123456789abcdef"), 1);
    struct signer signers[8] = {{.ring = ring}};
    assert_int_equal(keyring_mac(ring, 0, BYTES("message"), signers[0].expected), STATUS_OK);
    for (size_t i = 1; i < LENGTH_OF(signers); i++)
        signers[i] = signers[0];
    run_together(sign_often, signers, LENGTH_OF(signers), sizeof signers[0]);
    for (size_t i = 0; i < LENGTH_OF(signers); i++)
        assert_int_equal(signers[i].wrong, 0);
    keyring_release(ring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_nists_samples_are_signed_then_the_macs_are_nists),
        cmocka_unit_test(_when_bytes_are_digested_then_it_is_sha3_256),
        cmocka_unit_test(
            given_several_keys_when_each_signs_then_the_macs_differ_and_keep_their_order),
        cmocka_unit_test(given_a_ring_when_the_owner_wipes_the_key_then_the_ring_still_signs),
        cmocka_unit_test(
            given_a_ring_with_two_users_when_one_releases_it_then_the_other_still_signs),
        cmocka_unit_test(_when_a_key_is_empty_then_there_is_no_ring),
        cmocka_unit_test(_when_there_are_no_keys_then_the_ring_is_empty),
        cmocka_unit_test(
            given_several_threads_when_they_sign_with_one_ring_then_all_macs_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
