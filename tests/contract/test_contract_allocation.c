/* The whole comparison when memory runs out: the n-th allocation fails, for every n. The answer is
 * then that there was no memory, never a document that is found wrong, and never a difference
 * less. */
#include "fixtures.h"

#include "allocation_faults.h"
#include "contract.h"

#include <stdio.h>
#include <string.h>

enum { DOCUMENT_SIZE_MAX = 1 << 20, ALLOCATIONS_MOST = 20000 };

static struct buffer read_document(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", TANDEM_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct buffer text = buffer_new(DOCUMENT_SIZE_MAX);
    unsigned char piece[4096];
    for (size_t got = 1; got > 0;) {
        got = fread(piece, 1, sizeof piece, file);
        buffer_append(&text, (struct bytes){piece, got});
    }
    fclose(file);
    assert_int_equal(text.status, STATUS_OK);
    return text;
}

/* Writes the report in both forms. */
static enum status write_report(const struct contract_report *report, struct buffer *out) {
    contract_report_write_text(report, out);
    contract_report_write_json(report, out);
    return out->status;
}

static enum status compare(const struct buffer *provider_text, const struct buffer *consumer_text,
                           struct buffer *out) {
    struct contract_problem problem = {.text = ""};
    struct contract_provider *provider = NULL;
    struct contract_consumer *consumer = NULL;
    struct contract_report *report = NULL;
    enum status status = contract_provider_read(buffer_bytes(provider_text), &provider, &problem);
    if (status == STATUS_OK)
        status = contract_consumer_read(buffer_bytes(consumer_text), &consumer, &problem);
    if (status == STATUS_OK)
        status = contract_report_new(&report);
    if (status == STATUS_OK)
        status = contract_compare(provider, consumer, report, &problem);
    if (status == STATUS_OK)
        status = write_report(report, out);
    contract_report_free(report);
    contract_consumer_free(consumer);
    contract_provider_free(provider);
    return status;
}

static void play(const char *provider_name, const char *consumer_name) {
    struct buffer provider = read_document(provider_name);
    struct buffer consumer = read_document(consumer_name);
    struct buffer expected = buffer_new(DOCUMENT_SIZE_MAX);
    assert_int_equal(compare(&provider, &consumer, &expected), STATUS_OK);
    long n = 0;
    for (bool failed = true; failed;) {
        struct buffer out = buffer_new(DOCUMENT_SIZE_MAX);
        allocation_fault_arm(++n);
        enum status status = compare(&provider, &consumer, &out);
        failed = allocation_fault_disarm();
        if (status != STATUS_NO_MEMORY &&
            !(status == STATUS_OK && bytes_equal(buffer_bytes(&out), buffer_bytes(&expected))))
            fail_msg("%s, allocation %ld: status %d\n%.*s", consumer_name, n, (int)status,
                     (int)out.size, (const char *)out.data);
        buffer_done(&out);
        assert_true(n < ALLOCATIONS_MOST);
    }
    printf("%ld allocations failed, one at a time\n", n - 1);
    assert_true(n > 50);
    buffer_done(&expected);
    buffer_done(&consumer);
    buffer_done(&provider);
}

static void given_a_comparison_when_any_allocation_fails_then_it_says_so(void **state) {
    (void)state;
    if (!ALLOCATION_FAULTS_WORK)
        skip();
    thread_is_marked = marked_threads_count = true;
    play("openapi/booking.json", "openapi/consumers/booking-client.json");
    play("openapi/booking.json", "tests/contract/planted-client.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_comparison_when_any_allocation_fails_then_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
