#include "fixtures.h"

#include "ledger.h"

#include <string.h>

static const unsigned char OUR_MARK[MARK_SIZE] = "our-mark";
static const unsigned char OUR_NONCE[NONCE_SIZE] = "our-mark-nonce-1";
static const unsigned char OTHER_NONCE[NONCE_SIZE] = "ours-not-nonce-1";
static const unsigned char ALMOST_OUR_NONCE[NONCE_SIZE] = "our-marknot-ours";

static struct ledger *new_ledger(size_t capacity, const unsigned char *mark) {
    struct ledger *ledger = NULL;
    assert_int_equal(ledger_memory_new(capacity, mark, &ledger), STATUS_OK);
    return ledger;
}

static void keep_fact(void *context, const struct settled *settled) {
    *(enum ledger_fact *)context = settled->fact;
}

static enum ledger_fact settle(struct ledger *ledger, unsigned char number,
                               const unsigned char *nonce, int64_t now) {
    unsigned char mac[MAC_SIZE] = {number};
    struct settlement settlement = {.mac = mac, .nonce = nonce, .good_until = 120, .now = now};
    enum ledger_fact fact = LEDGER_UNAVAILABLE;
    ledger_settle(ledger, &settlement, keep_fact, &fact);
    return fact;
}

static void
given_a_mark_when_states_are_settled_then_only_those_with_it_are_accepted(void **state) {
    (void)state;
    const struct {
        const char *name;
        const unsigned char *nonce;
        enum ledger_fact fact;
    } rows[] = {
        {"our mark", OUR_NONCE, LEDGER_RECORDED},
        {"another process's mark", OTHER_NONCE, LEDGER_EXPIRED},
        {"no nonce", NULL, LEDGER_EXPIRED},
        {"our mark, and other bytes after it", ALMOST_OUR_NONCE, LEDGER_RECORDED},
    };
    struct ledger *ledger = new_ledger(10, OUR_MARK);
    for (unsigned char i = 0; i < LENGTH_OF(rows); i++)
        assert_row_number(rows[i].name, settle(ledger, i, rows[i].nonce, 1), rows[i].fact);
    assert_int_equal(ledger_used_states(ledger), 2);
    ledger_free(ledger);
}

static void given_a_mark_when_any_byte_of_it_differs_then_the_state_is_anothers(void **state) {
    (void)state;
    struct ledger *ledger = new_ledger(10, OUR_MARK);
    for (size_t i = 0; i < MARK_SIZE; i++) {
        unsigned char nonce[NONCE_SIZE];
        memcpy(nonce, OUR_NONCE, sizeof nonce);
        nonce[i] ^= 1;
        assert_int_equal(settle(ledger, 1, nonce, 1), LEDGER_EXPIRED);
    }
    assert_int_equal(settle(ledger, 1, OUR_NONCE, 1), LEDGER_RECORDED);
    ledger_free(ledger);
}

static void
given_a_ledger_when_the_owner_changes_the_mark_then_the_ledger_has_its_own(void **state) {
    (void)state;
    unsigned char mark[MARK_SIZE];
    memcpy(mark, OUR_MARK, sizeof mark);
    struct ledger *ledger = new_ledger(10, mark);
    memset(mark, 0, sizeof mark);
    assert_int_equal(settle(ledger, 1, OUR_NONCE, 1), LEDGER_RECORDED);
    ledger_free(ledger);
}

static void given_no_mark_when_states_are_settled_then_any_is_accepted_once(void **state) {
    (void)state;
    struct ledger *ledger = new_ledger(10, NULL);
    assert_int_equal(settle(ledger, 1, NULL, 1), LEDGER_RECORDED);
    assert_int_equal(settle(ledger, 2, OTHER_NONCE, 1), LEDGER_RECORDED);
    assert_int_equal(settle(ledger, 1, OUR_NONCE, 1), LEDGER_USED);
    ledger_free(ledger);
}

static void
given_a_settled_state_when_it_comes_again_then_it_is_used_until_it_is_expired(void **state) {
    (void)state;
    struct ledger *ledger = new_ledger(1, OUR_MARK);
    assert_int_equal(settle(ledger, 1, OUR_NONCE, 1), LEDGER_RECORDED);
    assert_int_equal(settle(ledger, 1, OUR_NONCE, 120), LEDGER_USED);
    assert_int_equal(settle(ledger, 2, OUR_NONCE, 120), LEDGER_UNAVAILABLE);
    assert_false(ledger_is_ready(ledger, 120));
    assert_true(ledger_is_ready(ledger, 121));
    assert_int_equal(settle(ledger, 1, OUR_NONCE, 121), LEDGER_EXPIRED);
    assert_int_equal(settle(ledger, 1, OUR_NONCE, 1), LEDGER_EXPIRED);
    ledger_free(ledger);
}

static void _when_a_ledger_for_nothing_is_made_then_there_is_none(void **state) {
    (void)state;
    struct ledger *ledger = NULL;
    assert_int_equal(ledger_memory_new(0, OUR_MARK, &ledger), STATUS_INVALID);
    assert_null(ledger);
    ledger_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_mark_when_states_are_settled_then_only_those_with_it_are_accepted),
        cmocka_unit_test(given_a_mark_when_any_byte_of_it_differs_then_the_state_is_anothers),
        cmocka_unit_test(
            given_a_ledger_when_the_owner_changes_the_mark_then_the_ledger_has_its_own),
        cmocka_unit_test(given_no_mark_when_states_are_settled_then_any_is_accepted_once),
        cmocka_unit_test(
            given_a_settled_state_when_it_comes_again_then_it_is_used_until_it_is_expired),
        cmocka_unit_test(_when_a_ledger_for_nothing_is_made_then_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
