/* The comparison of two JSON trees as text, for the tests of contract. */
#ifndef TANDEM_TEST_DIFF_H
#define TANDEM_TEST_DIFF_H

#include "contract.h"
#include "support.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A file of the source tree; fails the test when it isn't JSON. */
static inline json_t *source_file(const char *path) {
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", TANDEM_SOURCE_DIR, path);
    json_error_t error;
    json_t *root = json_load_file(whole, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fail_msg("%s: %s (line %d)", whole, error.text, error.line);
    return root;
}

/* What the command would print: the lines, or "problem: " and the problem. The caller frees it. */
static inline char *diff_texts(struct bytes provider_text, struct bytes consumer_text) {
    struct contract_problem problem = {.text = ""};
    struct contract_provider *provider = NULL;
    struct contract_consumer *consumer = NULL;
    struct contract_report *report = NULL;
    assert_int_equal(contract_report_new(&report), STATUS_OK);
    enum status status = contract_provider_read(provider_text, &provider, &problem);
    if (status == STATUS_OK)
        status = contract_consumer_read(consumer_text, &consumer, &problem);
    if (status == STATUS_OK)
        status = contract_compare(provider, consumer, report, &problem);
    struct buffer text = buffer_new(1 << 26);
    if (status == STATUS_OK) {
        contract_report_write_text(report, &text);
    } else {
        assert_true(status == STATUS_INVALID || status == STATUS_LIMIT);
        assert_true(problem.text[0] != '\0');
        buffer_append_text(&text, "problem: ");
        buffer_append_text(&text, problem.text);
    }
    buffer_append_byte(&text, '\0');
    assert_int_equal(text.status, STATUS_OK);
    contract_report_free(report);
    contract_consumer_free(consumer);
    contract_provider_free(provider);
    return (char *)buffer_take(&text);
}

static inline char *diff_trees(json_t *provider, json_t *consumer) {
    char *provider_text = json_dumps(provider, JSON_ENCODE_ANY);
    char *consumer_text = json_dumps(consumer, JSON_ENCODE_ANY);
    assert_non_null(provider_text);
    assert_non_null(consumer_text);
    char *lines = diff_texts(bytes_of_text(provider_text), bytes_of_text(consumer_text));
    free(provider_text);
    free(consumer_text);
    return lines;
}

#endif
