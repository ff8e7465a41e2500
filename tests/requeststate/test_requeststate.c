#include "fixtures.h"

#include "hex.h"
#include "requeststate.h"

#include <string.h>

#define GOLDEN_DIGEST "cc46a46dac1e042f51cfa1cc7df214ad18fdfc6b4390c08d49d952f34fb9dfe1"
#define GOLDEN_PAYLOAD                                                                             \
    "{\"goodUntil\":1791018120,\"offered\":[\"sat-10:30\",\"sat-11:30\"],\"request\":"             \
    "\"" GOLDEN_DIGEST "\"}"
#define KEY_TEXT "0123456789abcdef0123456789abcdef"

enum { MAC_DIGITS = 2 * MAC_SIZE };

static const int64_t ISSUED = 1791018000;
static const int64_t GOOD_UNTIL = 1791018120;

static const struct bytes SLOTS[] = {ROW_BYTES("sat-10:30"), ROW_BYTES("sat-11:30"),
                                     ROW_BYTES("sat-13:00")};

static const struct booking BOOKING = {ROW_BYTES("elm-street"),
                                       ROW_BYTES("A cut on Saturday morning, please"), SLOTS, 3};

static const unsigned char NONCE[NONCE_SIZE] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                8, 9, 10, 11, 12, 13, 14, 15};

/* A key ring and what it signs. */
struct desk {
    struct keyring *ring;
    struct buffer text;
};

static struct keyring *new_ring(const struct bytes *keys, size_t count) {
    struct keyring *ring = NULL;
    assert_int_equal(keyring_new(keys, count, &ring), STATUS_OK);
    return ring;
}

static int set_up(void **state) {
    static struct desk desk;
    desk.ring = new_ring(&BYTES(KEY_TEXT), 1);
    desk.text = buffer_new(STATE_SIZE_MAX);
    *state = &desk;
    return 0;
}

static int tear_down(void **state) {
    struct desk *desk = *state;
    keyring_release(desk->ring);
    buffer_done(&desk->text);
    return 0;
}

#define DESK_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/* Makes the text the state of the golden booking. */
static void issue(struct desk *desk) {
    desk->text.size = 0;
    assert_int_equal(requeststate_issue(desk->ring, GOOD_UNTIL, NONCE, &BOOKING,
                                        (struct offer){SLOTS, 2}, &desk->text),
                     STATUS_OK);
}

/* Makes the text this payload, signed, as only the holder of the key could. */
static void sign(struct desk *desk, struct bytes payload) {
    unsigned char mac[MAC_SIZE];
    assert_int_equal(keyring_mac(desk->ring, 0, payload, mac), STATUS_OK);
    desk->text.size = 0;
    buffer_append(&desk->text, payload);
    buffer_append_byte(&desk->text, '.');
    hex_write((struct bytes){mac, MAC_SIZE}, buffer_extend(&desk->text, MAC_DIGITS));
}

static enum verdict verify_text(const struct keyring *ring, int64_t now,
                                const struct booking *booking, struct bytes text) {
    struct verified_state verified;
    enum verdict verdict = requeststate_verify(ring, now, booking, text, &verified);
    if (verdict == VERDICT_GOOD || verdict == VERDICT_EXPIRED)
        verified_state_done(&verified);
    return verdict;
}

static enum verdict verify(const struct desk *desk) {
    return verify_text(desk->ring, ISSUED, &BOOKING, buffer_bytes(&desk->text));
}

static void
given_the_golden_booking_when_its_state_is_issued_then_it_is_the_protocols(void **state) {
    struct desk *desk = *state;
    assert_int_equal(requeststate_issue(desk->ring, GOOD_UNTIL, NULL, &BOOKING,
                                        (struct offer){SLOTS, 2}, &desk->text),
                     STATUS_OK);
    /* The MAC as `openssl mac -digest SHA3-256 -macopt key:0123... HMAC` gives it. */
    assert_row_bytes(
        "golden", buffer_bytes(&desk->text),
        BYTES(GOLDEN_PAYLOAD ".bca644fa9cc25dfa3c2721254ddf1b5b1363167a6770aacd2c9212a437ab6019"));
    assert_int_equal(verify(desk), VERDICT_GOOD);
}

static void
given_text_before_it_when_a_state_is_issued_then_only_the_state_is_signed(void **state) {
    struct desk *desk = *state;
    buffer_append_text(&desk->text, "before.");
    assert_int_equal(requeststate_issue(desk->ring, GOOD_UNTIL, NONCE, &BOOKING,
                                        (struct offer){SLOTS, 2}, &desk->text),
                     STATUS_OK);
    struct bytes issued = bytes_from(buffer_bytes(&desk->text), 7);
    assert_int_equal(verify_text(desk->ring, ISSUED, &BOOKING, issued), VERDICT_GOOD);
}

static void given_no_room_when_a_state_is_issued_then_it_says_so(void **state) {
    struct desk *desk = *state;
    issue(desk);
    for (size_t ceiling = 0; ceiling < desk->text.size; ceiling++) {
        struct buffer small = buffer_new(ceiling);
        assert_int_equal(requeststate_issue(desk->ring, GOOD_UNTIL, NONCE, &BOOKING,
                                            (struct offer){SLOTS, 2}, &small),
                         STATUS_LIMIT);
        buffer_done(&small);
    }
}

static void
given_a_good_state_when_it_is_verified_then_it_gives_back_what_was_issued(void **state) {
    struct desk *desk = *state;
    issue(desk);
    struct verified_state verified;
    assert_int_equal(
        requeststate_verify(desk->ring, ISSUED, &BOOKING, buffer_bytes(&desk->text), &verified),
        VERDICT_GOOD);
    assert_true(verified.claims.good_until == GOOD_UNTIL);
    assert_true(verified.claims.has_nonce);
    assert_memory_equal(verified.claims.nonce, NONCE, NONCE_SIZE);
    assert_int_equal(verified.claims.offered.count, 2);
    assert_row_bytes("first", verified.claims.offered.times[0], SLOTS[0]);
    assert_row_bytes("second", verified.claims.offered.times[1], SLOTS[1]);
    unsigned char digits[MAC_DIGITS];
    hex_write((struct bytes){verified.mac, MAC_SIZE}, digits);
    assert_memory_equal(digits, desk->text.data + desk->text.size - MAC_DIGITS, MAC_DIGITS);
    verified_state_done(&verified);
}

static void
given_times_with_dots_when_the_state_is_verified_then_it_is_split_at_the_last(void **state) {
    struct desk *desk = *state;
    static const struct bytes dotted[] = {ROW_BYTES("sat.10.30"), ROW_BYTES(".")};
    struct booking booking = {BOOKING.salon, BOOKING.message, dotted, 2};
    assert_int_equal(requeststate_issue(desk->ring, GOOD_UNTIL, NONCE, &booking,
                                        (struct offer){dotted, 2}, &desk->text),
                     STATUS_OK);
    assert_int_equal(verify_text(desk->ring, ISSUED, &booking, buffer_bytes(&desk->text)),
                     VERDICT_GOOD);
}

static void _when_the_clock_reads_past_good_until_then_the_state_has_expired(void **state) {
    struct desk *desk = *state;
    static const struct {
        const char *name;
        int64_t now;
        enum verdict verdict;
    } rows[] = {
        {"long before", 0, VERDICT_GOOD},
        {"when issued", 1791018000, VERDICT_GOOD},
        {"a second before", 1791018119, VERDICT_GOOD},
        {"at", 1791018120, VERDICT_GOOD},
        {"a second past", 1791018121, VERDICT_EXPIRED},
        {"long past", INT64_MAX, VERDICT_EXPIRED},
    };
    issue(desk);
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        assert_row_number(rows[i].name,
                          verify_text(desk->ring, rows[i].now, &BOOKING, buffer_bytes(&desk->text)),
                          rows[i].verdict);
}

static void _when_the_booking_differs_then_the_state_belongs_to_another_request(void **state) {
    struct desk *desk = *state;
    static const struct bytes reordered[] = {ROW_BYTES("sat-11:30"), ROW_BYTES("sat-10:30"),
                                             ROW_BYTES("sat-13:00")};
    static const struct bytes changed[] = {ROW_BYTES("sat-10:30"), ROW_BYTES("sat-11:30"),
                                           ROW_BYTES("sat-13:01")};
    static const struct bytes added[] = {ROW_BYTES("sat-10:30"), ROW_BYTES("sat-11:30"),
                                         ROW_BYTES("sat-13:00"), ROW_BYTES("sat-14:00")};
    static const struct bytes joined[] = {ROW_BYTES("sat-10:30"),
                                          ROW_BYTES("sat-11:30\",\"sat-13:00")};
#define GOLDEN_SALON ROW_BYTES("elm-street")
#define GOLDEN_MESSAGE ROW_BYTES("A cut on Saturday morning, please")
    static const struct {
        const char *name;
        struct booking booking;
    } rows[] = {
        {"another salon", {ROW_BYTES("elm-stree"), GOLDEN_MESSAGE, SLOTS, 3}},
        {"a salon in capitals", {ROW_BYTES("Elm-Street"), GOLDEN_MESSAGE, SLOTS, 3}},
        {"another message", {GOLDEN_SALON, ROW_BYTES("A cut on Saturday morning"), SLOTS, 3}},
        {"no message", {GOLDEN_SALON, ROW_BYTES(""), SLOTS, 3}},
        {"slots reordered", {GOLDEN_SALON, GOLDEN_MESSAGE, reordered, 3}},
        {"a slot changed", {GOLDEN_SALON, GOLDEN_MESSAGE, changed, 3}},
        {"a slot added", {GOLDEN_SALON, GOLDEN_MESSAGE, added, 4}},
        {"a slot left out", {GOLDEN_SALON, GOLDEN_MESSAGE, SLOTS, 2}},
        {"no slots", {GOLDEN_SALON, GOLDEN_MESSAGE, NULL, 0}},
        {"two slots as one", {GOLDEN_SALON, GOLDEN_MESSAGE, joined, 2}},
    };
    issue(desk);
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        assert_row_number(
            rows[i].name,
            verify_text(desk->ring, ISSUED, &rows[i].booking, buffer_bytes(&desk->text)),
            VERDICT_ANOTHER_REQUEST);
}

static void _when_a_signed_payload_is_no_claims_then_it_does_not_verify(void **state) {
    struct desk *desk = *state;
#define REQUEST "\"request\":\"" GOLDEN_DIGEST "\""
    static const struct {
        const char *name;
        struct bytes payload;
        enum verdict verdict;
    } rows[] = {
        {"right", ROW_BYTES("{\"goodUntil\":1791018120,\"offered\":[]," REQUEST "}"), VERDICT_GOOD},
        {"unknown claims",
         ROW_BYTES("{\"goodUntil\":1791018120,\"offered\":[]," REQUEST ",\"x\":null}"),
         VERDICT_GOOD},
        {"empty", ROW_BYTES(""), VERDICT_NOT_VERIFIED},
        {"no JSON", ROW_BYTES("{"), VERDICT_NOT_VERIFIED},
        {"an array", ROW_BYTES("[]"), VERDICT_NOT_VERIFIED},
        {"goodUntil as 1.79e9", ROW_BYTES("{\"goodUntil\":1.79e9,\"offered\":[]," REQUEST "}"),
         VERDICT_NOT_VERIFIED},
        {"a claim twice",
         ROW_BYTES("{\"goodUntil\":1791018120,\"goodUntil\":1791018120,\"offered\":[]," REQUEST
                   "}"),
         VERDICT_NOT_VERIFIED},
        {"no offered", ROW_BYTES("{\"goodUntil\":1791018120," REQUEST "}"), VERDICT_NOT_VERIFIED},
        {"no request", ROW_BYTES("{\"goodUntil\":1791018120,\"offered\":[]}"),
         VERDICT_NOT_VERIFIED},
        {"a digest in capitals",
         ROW_BYTES("{\"goodUntil\":1791018120,\"offered\":[],\"request\":"
                   "\"CC46A46DAC1E042F51CFA1CC7DF214AD18FDFC6B4390C08D49D952F34FB9DFE1\"}"),
         VERDICT_ANOTHER_REQUEST},
        {"a digest cut", ROW_BYTES("{\"goodUntil\":1791018120,\"offered\":[],\"request\":\"cc\"}"),
         VERDICT_ANOTHER_REQUEST},
        {"an empty digest", ROW_BYTES("{\"goodUntil\":1791018120,\"offered\":[],\"request\":\"\"}"),
         VERDICT_ANOTHER_REQUEST},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        sign(desk, rows[i].payload);
        assert_row_number(rows[i].name, verify(desk), rows[i].verdict);
    }
}

/* Of two things that are wrong the earlier check speaks. */
static void given_two_faults_when_a_state_is_verified_then_the_first_check_refuses(void **state) {
    struct desk *desk = *state;
    static const struct booking another = {ROW_BYTES("oak-street"), ROW_BYTES(""), SLOTS, 3};
    issue(desk);
    struct bytes text = buffer_bytes(&desk->text);
    assert_int_equal(verify_text(desk->ring, GOOD_UNTIL + 1, &another, text),
                     VERDICT_ANOTHER_REQUEST);
    desk->text.data[0] ^= 1;
    assert_int_equal(verify_text(desk->ring, GOOD_UNTIL + 1, &another, text), VERDICT_NOT_VERIFIED);
    sign(desk, BYTES("{\"goodUntil\":1,\"request\":\"\"}"));
    assert_int_equal(verify_text(desk->ring, GOOD_UNTIL + 1, &another, buffer_bytes(&desk->text)),
                     VERDICT_NOT_VERIFIED);
}

static void given_a_refused_state_when_it_is_verified_then_nothing_is_written(void **state) {
    struct desk *desk = *state;
    static const struct booking another = {ROW_BYTES("oak-street"), ROW_BYTES(""), SLOTS, 3};
    issue(desk);
    struct verified_state untouched;
    memset(&untouched, 0x5A, sizeof untouched);
    struct verified_state verified = untouched;
    struct bytes text = buffer_bytes(&desk->text);
    (void)requeststate_verify(desk->ring, ISSUED, &another, text, &verified);
    (void)requeststate_verify(desk->ring, ISSUED, &BOOKING, BYTES(""), &verified);
    assert_memory_equal(&verified, &untouched, sizeof verified);
}

/* A reply that is kept under the state's MAC outlives the state. */
static void given_an_expired_state_when_it_is_verified_then_its_mac_is_known(void **state) {
    struct desk *desk = *state;
    issue(desk);
    struct verified_state good;
    struct verified_state expired;
    struct bytes text = buffer_bytes(&desk->text);
    assert_int_equal(requeststate_verify(desk->ring, ISSUED, &BOOKING, text, &good), VERDICT_GOOD);
    assert_int_equal(requeststate_verify(desk->ring, GOOD_UNTIL + 1, &BOOKING, text, &expired),
                     VERDICT_EXPIRED);
    assert_memory_equal(good.mac, expired.mac, MAC_SIZE);
    assert_int_equal(expired.claims.good_until, GOOD_UNTIL);
    verified_state_done(&good);
    verified_state_done(&expired);
}

static void given_a_mac_in_capitals_when_it_is_verified_then_it_is_the_same_mac(void **state) {
    struct desk *desk = *state;
    issue(desk);
    struct verified_state first;
    assert_int_equal(
        requeststate_verify(desk->ring, ISSUED, &BOOKING, buffer_bytes(&desk->text), &first),
        VERDICT_GOOD);
    bool changed = false;
    for (size_t i = desk->text.size - MAC_DIGITS; i < desk->text.size; i++) {
        unsigned char *digit = &desk->text.data[i];
        if (*digit >= 'a') {
            *digit = (unsigned char)(*digit - 'a' + 'A');
            changed = true;
        }
    }
    assert_true(changed);
    struct verified_state second;
    assert_int_equal(
        requeststate_verify(desk->ring, ISSUED, &BOOKING, buffer_bytes(&desk->text), &second),
        VERDICT_GOOD);
    assert_memory_equal(first.mac, second.mac, MAC_SIZE);
    verified_state_done(&first);
    verified_state_done(&second);
}

/* True when both are digits of one MAC that differ by their case only. */
static bool same_digit(unsigned char left, unsigned char right) {
    unsigned char values[2];
    unsigned char digits[] = {'0', left, '0', right};
    return hex_parse((struct bytes){digits, sizeof digits}, values, sizeof values) &&
           values[0] == values[1];
}

static void expect_edit_refused(struct desk *desk, size_t at, unsigned char byte) {
    unsigned char before = desk->text.data[at];
    bool in_mac = at >= desk->text.size - MAC_DIGITS;
    if (byte == before || (in_mac && same_digit(byte, before)))
        return;
    desk->text.data[at] = byte;
    if (verify(desk) != VERDICT_NOT_VERIFIED)
        fail_msg("byte %zu changed from %02x to %02x", at, before, byte);
    desk->text.data[at] = before;
}

static void _when_any_character_of_a_state_is_changed_then_it_does_not_verify(void **state) {
    struct desk *desk = *state;
    issue(desk);
    assert_int_equal(verify(desk), VERDICT_GOOD);
    for (size_t at = 0; at < desk->text.size; at++) {
        for (unsigned bit = 0; bit < 8; bit++)
            expect_edit_refused(desk, at, desk->text.data[at] ^ (unsigned char)(1u << bit));
        for (const char *other = "0789afA., \n=\"}"; *other != '\0'; other++)
            expect_edit_refused(desk, at, (unsigned char)*other);
        expect_edit_refused(desk, at, 0);
    }
    assert_int_equal(verify(desk), VERDICT_GOOD);
}

static void _when_any_character_of_a_state_is_dropped_then_it_does_not_verify(void **state) {
    struct desk *desk = *state;
    issue(desk);
    struct bytes text = buffer_bytes(&desk->text);
    for (size_t at = 0; at < text.size; at++) {
        struct buffer shorter = buffer_new(STATE_SIZE_MAX);
        buffer_append(&shorter, bytes_up_to(text, at));
        buffer_append(&shorter, bytes_from(text, at + 1));
        if (verify_text(desk->ring, ISSUED, &BOOKING, buffer_bytes(&shorter)) !=
            VERDICT_NOT_VERIFIED)
            fail_msg("byte %zu dropped", at);
        buffer_done(&shorter);
    }
}

static void _when_any_character_is_added_to_a_state_then_it_does_not_verify(void **state) {
    struct desk *desk = *state;
    issue(desk);
    struct bytes text = buffer_bytes(&desk->text);
    static const struct bytes added[] = {ROW_BYTES(" "),    ROW_BYTES("="),  ROW_BYTES("\n"),
                                         ROW_BYTES("\r\n"), ROW_BYTES("."),  ROW_BYTES("0"),
                                         ROW_BYTES("00"),   ROW_BYTES("\0"), ROW_BYTES("a.")};
    for (size_t i = 0; i < LENGTH_OF(added); i++) {
        for (size_t at = 0; at <= text.size; at++) {
            struct buffer longer = buffer_new(STATE_SIZE_MAX);
            buffer_append(&longer, bytes_up_to(text, at));
            buffer_append(&longer, added[i]);
            buffer_append(&longer, bytes_from(text, at));
            if (verify_text(desk->ring, ISSUED, &BOOKING, buffer_bytes(&longer)) !=
                VERDICT_NOT_VERIFIED)
                fail_msg("text %zu added at byte %zu", i, at);
            buffer_done(&longer);
        }
    }
}

static void _when_a_state_has_not_its_parts_then_it_does_not_verify(void **state) {
    struct desk *desk = *state;
    unsigned char mac[MAC_SIZE];
    unsigned char digits[MAC_DIGITS];
    assert_int_equal(keyring_mac(desk->ring, 0, BYTES(""), mac), STATUS_OK);
    hex_write((struct bytes){mac, MAC_SIZE}, digits);
    const struct {
        const char *name;
        struct bytes text;
    } rows[] = {
        {"empty", BYTES("")},
        {"a dot", BYTES(".")},
        {"two dots", BYTES("..")},
        {"a payload alone", BYTES(GOLDEN_PAYLOAD)},
        {"a payload and a dot", BYTES(GOLDEN_PAYLOAD ".")},
        {"64 digits", BYTES(GOLDEN_DIGEST)},
        {"a dot and 64 digits", BYTES("." GOLDEN_DIGEST)},
        {"zeros for a MAC", BYTES(GOLDEN_PAYLOAD ".00000000000000000000000000000000"
                                                 "00000000000000000000000000000000")},
        {"the MAC of nothing, alone", {digits, sizeof digits}},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        assert_row_number(rows[i].name, verify_text(desk->ring, ISSUED, &BOOKING, rows[i].text),
                          VERDICT_NOT_VERIFIED);
}

static void
given_a_new_first_key_when_an_old_state_is_verified_then_the_old_key_still_serves(void **state) {
    struct desk *desk = *state;
    static const struct bytes second = ROW_BYTES("fedcba9876543210fedcba9876543210");
    const struct bytes both[] = {second, BYTES(KEY_TEXT)};
    struct keyring *rotated = new_ring(both, 2);
    struct keyring *new_only = new_ring(&second, 1);
    issue(desk);
    struct bytes old = buffer_bytes(&desk->text);
    assert_int_equal(verify_text(rotated, ISSUED, &BOOKING, old), VERDICT_GOOD);
    assert_int_equal(verify_text(new_only, ISSUED, &BOOKING, old), VERDICT_NOT_VERIFIED);
    struct buffer fresh = buffer_new(STATE_SIZE_MAX);
    assert_int_equal(
        requeststate_issue(rotated, GOOD_UNTIL, NONCE, &BOOKING, (struct offer){SLOTS, 2}, &fresh),
        STATUS_OK);
    struct bytes text = buffer_bytes(&fresh);
    assert_int_equal(verify_text(rotated, ISSUED, &BOOKING, text), VERDICT_GOOD);
    assert_int_equal(verify_text(new_only, ISSUED, &BOOKING, text), VERDICT_GOOD);
    assert_int_equal(verify_text(desk->ring, ISSUED, &BOOKING, text), VERDICT_NOT_VERIFIED);
    buffer_done(&fresh);
    keyring_release(rotated);
    keyring_release(new_only);
}

static void given_a_key_of_one_byte_when_it_signs_then_its_state_verifies(void **state) {
    struct desk *desk = *state;
    struct keyring *ring = new_ring(&BYTES("k"), 1);
    assert_int_equal(
        requeststate_issue(ring, GOOD_UNTIL, NULL, &BOOKING, (struct offer){SLOTS, 2}, &desk->text),
        STATUS_OK);
    assert_row_bytes(
        "one byte", buffer_bytes(&desk->text),
        BYTES(GOLDEN_PAYLOAD ".1824d9ad883b8d02754049008edb94131ac07bff4716b9643228b8f53d310ce6"));
    assert_int_equal(verify_text(ring, ISSUED, &BOOKING, buffer_bytes(&desk->text)), VERDICT_GOOD);
    keyring_release(ring);
}

static void
given_a_ring_without_keys_when_it_is_used_then_it_signs_and_verifies_nothing(void **state) {
    struct desk *desk = *state;
    struct keyring *empty = new_ring(NULL, 0);
    assert_int_equal(requeststate_issue(empty, GOOD_UNTIL, NONCE, &BOOKING,
                                        (struct offer){SLOTS, 2}, &desk->text),
                     STATUS_INVALID);
    assert_int_equal(desk->text.size, 0);
    issue(desk);
    assert_int_equal(verify_text(empty, ISSUED, &BOOKING, buffer_bytes(&desk->text)),
                     VERDICT_NOT_VERIFIED);
    keyring_release(empty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESK_TEST(given_the_golden_booking_when_its_state_is_issued_then_it_is_the_protocols),
        DESK_TEST(given_text_before_it_when_a_state_is_issued_then_only_the_state_is_signed),
        DESK_TEST(given_no_room_when_a_state_is_issued_then_it_says_so),
        DESK_TEST(given_a_good_state_when_it_is_verified_then_it_gives_back_what_was_issued),
        DESK_TEST(given_times_with_dots_when_the_state_is_verified_then_it_is_split_at_the_last),
        DESK_TEST(_when_the_clock_reads_past_good_until_then_the_state_has_expired),
        DESK_TEST(_when_the_booking_differs_then_the_state_belongs_to_another_request),
        DESK_TEST(_when_a_signed_payload_is_no_claims_then_it_does_not_verify),
        DESK_TEST(given_two_faults_when_a_state_is_verified_then_the_first_check_refuses),
        DESK_TEST(given_a_refused_state_when_it_is_verified_then_nothing_is_written),
        DESK_TEST(given_an_expired_state_when_it_is_verified_then_its_mac_is_known),
        DESK_TEST(given_a_mac_in_capitals_when_it_is_verified_then_it_is_the_same_mac),
        DESK_TEST(_when_any_character_of_a_state_is_changed_then_it_does_not_verify),
        DESK_TEST(_when_any_character_of_a_state_is_dropped_then_it_does_not_verify),
        DESK_TEST(_when_any_character_is_added_to_a_state_then_it_does_not_verify),
        DESK_TEST(_when_a_state_has_not_its_parts_then_it_does_not_verify),
        DESK_TEST(
            given_a_new_first_key_when_an_old_state_is_verified_then_the_old_key_still_serves),
        DESK_TEST(given_a_key_of_one_byte_when_it_signs_then_its_state_verifies),
        DESK_TEST(given_a_ring_without_keys_when_it_is_used_then_it_signs_and_verifies_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
