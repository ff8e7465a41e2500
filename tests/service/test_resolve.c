#include "fixtures.h"

#include "resolve.h"

static void _when_the_ledger_tells_a_fact_then_it_comes_to_one_reply(void **state) {
    (void)state;
    static const struct {
        enum ledger_fact fact;
        enum resolution_kind kind;
        enum refusal refusal;
    } rows[] = {
        {LEDGER_RECORDED, RESOLVED_AS_DECIDED, REFUSAL_NONE},
        {LEDGER_TAKEN, RESOLVED_TAKEN, REFUSAL_NONE},
        {LEDGER_USED, RESOLVED_REFUSAL, REFUSAL_USED},
        {LEDGER_EXPIRED, RESOLVED_REFUSAL, REFUSAL_EXPIRED},
        {LEDGER_REPLAYED, RESOLVED_REPLAY, REFUSAL_NONE},
        {LEDGER_KEY_REUSED, RESOLVED_REFUSAL, REFUSAL_KEY_REUSED},
        {LEDGER_NOT_STORED, RESOLVED_AS_DECIDED, REFUSAL_NONE},
        {LEDGER_UNAVAILABLE, RESOLVED_REFUSAL, REFUSAL_UNAVAILABLE},
    };
    assert_int_equal(LENGTH_OF(rows), LEDGER_FACT_COUNT);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct resolution resolution = resolve(rows[i].fact);
        assert_row_number(ledger_fact_label(rows[i].fact), resolution.kind, rows[i].kind);
        assert_row_number(ledger_fact_label(rows[i].fact), resolution.refusal, rows[i].refusal);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_the_ledger_tells_a_fact_then_it_comes_to_one_reply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
