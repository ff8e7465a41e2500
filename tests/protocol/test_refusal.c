#include "fixtures.h"

#include "refusal.h"

#include <stdlib.h>
#include <string.h>

static void _when_the_table_is_read_then_it_says_what_the_protocol_says(void **state) {
    (void)state;
    static const struct {
        enum refusal refusal;
        const char *reason;
        unsigned status;
    } rows[] = {
        {REFUSAL_ALONE, "answers and their requestState travel together", 400},
        {REFUSAL_NOT_VERIFIED, "requestState doesn't verify", 400},
        {REFUSAL_ANOTHER_REQUEST, "requestState belongs to another request", 400},
        {REFUSAL_EXPIRED, "requestState has expired", 400},
        {REFUSAL_USED, "requestState was already used", 400},
        {REFUSAL_NO_ANSWER, "no answer to the question asked", 400},
        {REFUSAL_NOT_AN_ANSWER, "the answer is not an accept, a decline or a cancel", 400},
        {REFUSAL_NEVER_OFFERED, "was never offered", 400},
        {REFUSAL_KEY_REUSED, "this Idempotency-Key was used with another answer", 422},
        {REFUSAL_UNAVAILABLE, "the booking service is unavailable", 503},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        const struct refusal_row *row = refusal_row(rows[i].refusal);
        assert_row_bytes(rows[i].reason, bytes_of_text(row->reason), bytes_of_text(rows[i].reason));
        assert_row_number(rows[i].reason, row->status, rows[i].status);
    }
}

static void _when_a_request_is_refused_for_itself_then_its_status_says_so(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum refusal refusal;
        unsigned status;
    } rows[] = {
        {"unreadable", REFUSAL_UNREADABLE, 400}, {"not found", REFUSAL_NOT_FOUND, 404},
        {"method", REFUSAL_METHOD, 405},         {"too large", REFUSAL_TOO_LARGE, 413},
        {"media type", REFUSAL_MEDIA_TYPE, 415},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        assert_row_number(rows[i].name, refusal_row(rows[i].refusal)->status, rows[i].status);
    assert_non_null(strstr(refusal_row(REFUSAL_MEDIA_TYPE)->reason, "application/json"));
}

static bool is_snake_case(const char *label) {
    return label[0] != '\0' && strspn(label, "abcdefghijklmnopqrstuvwxyz_") == strlen(label);
}

static void
_when_refusals_are_counted_then_each_has_a_label_of_its_own_and_reads_as_none(void **state) {
    (void)state;
    for (int i = 0; i < REFUSAL_COUNT; i++) {
        const struct refusal_row *row = refusal_row((enum refusal)i);
        assert_non_null(row->reason);
        assert_true(strlen(row->reason) > 0);
        assert_row(row->reason, is_snake_case(row->label));
        assert_row(row->reason, row->status >= 400);
        assert_row(row->reason, strstr(row->reason, "booked") == NULL);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(refusal_row((enum refusal)j)->label, row->label);
    }
    assert_true(atoi(RETRY_AFTER_TEXT) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_the_table_is_read_then_it_says_what_the_protocol_says),
        cmocka_unit_test(_when_a_request_is_refused_for_itself_then_its_status_says_so),
        cmocka_unit_test(
            _when_refusals_are_counted_then_each_has_a_label_of_its_own_and_reads_as_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
