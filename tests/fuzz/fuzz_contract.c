/* Two documents in one input, with a NUL between them: the provider's, and the consumer's copy. */
#include "contract.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare(const struct contract_provider *provider,
                    const struct contract_consumer *consumer) {
    struct contract_problem problem;
    struct contract_report *report = NULL;
    if (contract_report_new(&report) != STATUS_OK)
        return;
    if (contract_compare(provider, consumer, report, &problem) == STATUS_OK) {
        struct buffer text = buffer_new(1 << 26);
        contract_report_write_text(report, &text);
        contract_report_write_json(report, &text);
        buffer_done(&text);
    }
    contract_report_free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes input = {data, size};
    size_t end = bytes_find(input, 0);
    struct contract_problem problem;
    struct contract_provider *provider = NULL;
    struct contract_consumer *consumer = NULL;
    if (contract_provider_read(bytes_up_to(input, end), &provider, &problem) == STATUS_OK &&
        contract_consumer_read(bytes_from(input, end + 1), &consumer, &problem) == STATUS_OK)
        compare(provider, consumer);
    contract_consumer_free(consumer);
    contract_provider_free(provider);
    return 0;
}
