#include "report.h"

#include <stdlib.h>

struct contract_report {
    json_t *consumers;   /* an array of {"name", "differences": [what the JSON form shows]} */
    json_t *lines;       /* the lines there are, as an object's names: a set */
    struct bytes last;   /* the name of the last consumer, borrowed from `consumers` */
    json_t *differences; /* of the last consumer, borrowed from `consumers` */
    size_t count;
    size_t size; /* of all lines */
};

enum status contract_report_new(struct contract_report **out) {
    struct contract_report *report = calloc(1, sizeof *report);
    if (report == NULL)
        return STATUS_NO_MEMORY;
    report->consumers = json_array();
    report->lines = json_object();
    if (report->consumers == NULL || report->lines == NULL) {
        contract_report_free(report);
        return STATUS_NO_MEMORY;
    }
    *out = report;
    return STATUS_OK;
}

void contract_report_free(struct contract_report *report) {
    if (report == NULL)
        return;
    json_decref(report->consumers);
    json_decref(report->lines);
    free(report);
}

size_t contract_report_count(const struct contract_report *report) {
    return report->count;
}

static json_t *string_of(struct bytes text) {
    return json_stringn(text.size == 0 ? "" : (const char *)text.data, text.size);
}

enum status report_add_consumer(struct contract_report *report, struct bytes name) {
    json_t *consumer = json_pack("{s:o, s:[]}", "name", string_of(name), "differences");
    if (consumer == NULL || json_array_append_new(report->consumers, consumer) != 0)
        return STATUS_NO_MEMORY;
    report->last = json_text(node_member(consumer, "name"));
    report->differences = node_member(consumer, "differences");
    return STATUS_OK;
}

static void write_line(struct buffer *out, const struct expectation *expectation,
                       struct bytes text) {
    buffer_append(out, expectation->round);
    buffer_append(out, BYTES(": "));
    buffer_append_text(out, expectation->method->capitals);
    buffer_append_byte(out, ' ');
    buffer_append(out, expectation->path);
    buffer_append_byte(out, ' ');
    buffer_append(out, text);
}

/* STATUS_OK with `is_new` false when the consumer's line is there already. */
static enum status note_line(struct contract_report *report, struct bytes line, bool *is_new) {
    struct buffer key = buffer_new(CONTRACT_REPORT_SIZE_MAX);
    buffer_append(&key, report->last);
    buffer_append(&key, BYTES("\n"));
    buffer_append(&key, line);
    enum status status = key.status;
    if (status == STATUS_OK) {
        *is_new = node_member_named(report->lines, buffer_bytes(&key)) == NULL;
        if (json_object_setn_new(report->lines, (const char *)key.data, key.size, json_true()) != 0)
            status = STATUS_NO_MEMORY;
    }
    buffer_done(&key);
    return status;
}

static enum status add_line(struct contract_report *report, const struct expectation *expectation,
                            struct bytes line) {
    bool is_new = false;
    enum status status = note_line(report, line, &is_new);
    if (status != STATUS_OK || !is_new)
        return status;
    report->size += line.size;
    if (report->size > CONTRACT_REPORT_SIZE_MAX)
        return STATUS_LIMIT;
    json_t *difference =
        json_pack("{s:o, s:o, s:s, s:o, s:o}", "consumer", string_of(report->last), "round",
                  string_of(expectation->round), "method", expectation->method->capitals, "path",
                  string_of(expectation->path), "line", string_of(line));
    if (difference == NULL || json_array_append_new(report->differences, difference) != 0)
        return STATUS_NO_MEMORY;
    report->count++;
    return STATUS_OK;
}

enum status report_add(struct contract_report *report, const struct expectation *expectation,
                       struct bytes text) {
    struct buffer line = buffer_new(CONTRACT_REPORT_SIZE_MAX);
    write_line(&line, expectation, text);
    enum status status = line.status;
    if (status == STATUS_OK)
        status = add_line(report, expectation, buffer_bytes(&line));
    buffer_done(&line);
    return status;
}

static void write_consumer(json_t *consumer, bool prefixed, struct buffer *out) {
    struct bytes name = json_text(node_member(consumer, "name"));
    json_t *differences = node_member(consumer, "differences");
    if (json_array_size(differences) == 0) {
        buffer_append(out, name);
        buffer_append(out, BYTES(": no differences\n"));
    }
    for (size_t i = 0; i < json_array_size(differences); i++) {
        if (prefixed) {
            buffer_append(out, name);
            buffer_append(out, BYTES(": "));
        }
        buffer_append(out, json_text(node_member(json_array_get(differences, i), "line")));
        buffer_append_byte(out, '\n');
    }
}

void contract_report_write_text(const struct contract_report *report, struct buffer *out) {
    size_t count = json_array_size(report->consumers);
    for (size_t i = 0; i < count; i++)
        write_consumer(json_array_get(report->consumers, i), count > 1, out);
}

void contract_report_write_json(const struct contract_report *report, struct buffer *out) {
    const char *before = "\n  ";
    buffer_append_byte(out, '[');
    for (size_t i = 0; i < json_array_size(report->consumers); i++) {
        json_t *differences = node_member(json_array_get(report->consumers, i), "differences");
        for (size_t j = 0; j < json_array_size(differences); j++) {
            buffer_append_text(out, before);
            json_value_write(out, json_array_get(differences, j));
            before = ",\n  ";
        }
    }
    buffer_append_text(out, report->count > 0 ? "\n]\n" : "]\n");
}
