#include "consumer.h"

#include <stdlib.h>

const struct method openapi_methods[METHOD_COUNT] = {
    {"get", "GET"},         {"put", "PUT"},   {"post", "POST"},   {"delete", "DELETE"},
    {"options", "OPTIONS"}, {"head", "HEAD"}, {"patch", "PATCH"}, {"trace", "TRACE"},
};

enum { STATUS_STANDARD = 200 };

/* What every reader here gets: where problems go, and the place of the object that is read. */
struct reader {
    struct contract_problem *problem;
    const struct place *place;
};

static enum status refuse_member(const struct reader *reader, const char *name, const char *text) {
    struct place here = {.above = reader->place, .name = bytes_of_text(name)};
    return problem_at(reader->problem, &here, text);
}

static bool is_plain(struct bytes text) {
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < 0x20 || text.data[i] == 0x7F)
            return false;
    return true;
}

static enum status check_names(const struct reader *reader, json_t *object,
                               const char *const *names, size_t count) {
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        size_t i = 0;
        while (i < count && !bytes_equal(iterator_name(at), bytes_of_text(names[i])))
            i++;
        struct place here = {.above = reader->place, .name = iterator_name(at)};
        if (i == count)
            return problem_at(reader->problem, &here, "is not a member of a consumer's copy");
    }
    return STATUS_OK;
}

/* A string that must be there and goes into lines. */
static enum status read_text(const struct reader *reader, json_t *object, const char *name,
                             struct bytes *out) {
    json_t *node = node_member(object, name);
    if (node == NULL)
        return refuse_member(reader, name, "is missing");
    if (!json_is_string(node))
        return refuse_member(reader, name, "is not a string");
    if (json_string_length(node) == 0)
        return refuse_member(reader, name, "is empty");
    if (!is_plain(json_text(node)))
        return refuse_member(reader, name, "has a control character");
    *out = json_text(node);
    return STATUS_OK;
}

static enum status read_field(const struct reader *reader, struct bytes text, struct field *out) {
    if (is_plain(text) && field_parse(text, out))
        return STATUS_OK;
    return problem_at(reader->problem, reader->place, "is not the path of a field");
}

static enum status read_method(const struct reader *reader, json_t *object,
                               const struct method **out) {
    struct bytes name = {NULL, 0};
    enum status status = read_text(reader, object, "method", &name);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < METHOD_COUNT; i++) {
        if (!bytes_equal_ignoring_case(name, bytes_of_text(openapi_methods[i].name)))
            continue;
        *out = &openapi_methods[i];
        return STATUS_OK;
    }
    return refuse_member(reader, "method", "is not a method that OpenAPI has");
}

static enum status read_path(const struct reader *reader, json_t *object, struct bytes *out) {
    enum status status = read_text(reader, object, "path", out);
    if (status == STATUS_OK && out->data[0] != '/')
        return refuse_member(reader, "path", "doesn't begin with a slash");
    return status;
}

static enum status read_status(const struct reader *reader, json_t *object, int *out) {
    json_t *node = node_member(object, "status");
    *out = STATUS_STANDARD;
    if (node == NULL)
        return STATUS_OK;
    json_int_t number = json_integer_value(node);
    if (number < 100 || number > 599)
        return refuse_member(reader, "status", "is not a status from 100 to 599");
    *out = (int)number;
    return STATUS_OK;
}

/* Memory for a member's items: NULL with STATUS_OK when there are none. */
static enum status make_room(const struct reader *reader, const char *name, size_t count,
                             size_t most, size_t item_size, void **out) {
    *out = NULL;
    if (count > most) {
        refuse_member(reader, name, "has too many entries");
        return STATUS_LIMIT;
    }
    if (count == 0)
        return STATUS_OK;
    *out = calloc(count, item_size);
    return *out == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

static enum status read_send_list(const struct reader *reader, json_t *list,
                                  struct expectation *out) {
    struct place here = {.above = reader->place, .name = BYTES("sends")};
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct place item = {.above = &here, .index = i};
        json_t *node = json_array_get(list, i);
        if (!json_is_string(node))
            return problem_at(reader->problem, &item, "is not a string");
        const struct reader at_item = {reader->problem, &item};
        enum status status =
            read_field(&at_item, json_text(node), &out->sends[out->send_count].field);
        if (status != STATUS_OK)
            return status;
        out->send_count++;
    }
    return STATUS_OK;
}

/* The sending of that field, a new one when there is none yet. */
static struct sending *find_sending(struct expectation *expectation, const struct field *field) {
    size_t i = 0;
    while (i < expectation->send_count &&
           !bytes_equal(expectation->sends[i].field.text, field->text))
        i++;
    if (i == expectation->send_count)
        expectation->sends[expectation->send_count++].field = *field;
    return &expectation->sends[i];
}

static enum status read_send_values(const struct reader *reader, json_t *object,
                                    struct expectation *out) {
    struct place here = {.above = reader->place, .name = BYTES("sendsValues")};
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        struct place place = {.above = &here, .name = iterator_name(at)};
        const struct reader at_field = {reader->problem, &place};
        struct field field = {.count = 0};
        enum status status = read_field(&at_field, iterator_name(at), &field);
        if (status != STATUS_OK)
            return status;
        if (!json_is_array(json_object_iter_value(at)))
            return problem_at(reader->problem, &place, "is not a list of values");
        find_sending(out, &field)->values = json_object_iter_value(at);
    }
    return STATUS_OK;
}

static enum status read_sends(const struct reader *reader, json_t *object,
                              struct expectation *out) {
    json_t *list = node_member(object, "sends");
    json_t *values = node_member(object, "sendsValues");
    if (list != NULL && !json_is_array(list))
        return refuse_member(reader, "sends", "is not a list of fields");
    if (values != NULL && !json_is_object(values))
        return refuse_member(reader, "sendsValues", "is not an object");
    void *room = NULL;
    enum status status =
        make_room(reader, "sends", json_array_size(list) + json_object_size(values), SENDS_MOST,
                  sizeof *out->sends, &room);
    out->sends = room;
    if (status == STATUS_OK)
        status = read_send_list(reader, list, out);
    return status == STATUS_OK ? read_send_values(reader, values, out) : status;
}

static enum status read_reading(const struct reader *reader, struct bytes name, json_t *node,
                                struct reading *out) {
    enum status status = read_field(reader, name, &out->field);
    if (status != STATUS_OK)
        return status;
    out->type = type_of_name(json_text(node));
    out->values = json_is_array(node) ? node : NULL;
    if (out->type == NULL && out->values == NULL)
        return problem_at(reader->problem, reader->place, "is neither a type nor a list of values");
    return STATUS_OK;
}

static enum status read_reads(const struct reader *reader, json_t *object,
                              struct expectation *out) {
    json_t *reads = node_member(object, "reads");
    if (reads != NULL && !json_is_object(reads))
        return refuse_member(reader, "reads", "is not an object");
    void *room = NULL;
    enum status status =
        make_room(reader, "reads", json_object_size(reads), READS_MOST, sizeof *out->reads, &room);
    out->reads = room;
    struct place here = {.above = reader->place, .name = BYTES("reads")};
    for (void *at = json_object_iter(reads); at != NULL && status == STATUS_OK;
         at = json_object_iter_next(reads, at)) {
        struct place place = {.above = &here, .name = iterator_name(at)};
        const struct reader at_field = {reader->problem, &place};
        status = read_reading(&at_field, iterator_name(at), json_object_iter_value(at),
                              &out->reads[out->read_count++]);
    }
    return status;
}

static enum status read_whens(const struct reader *reader, json_t *object,
                              struct expectation *out) {
    json_t *whens = node_member(object, "when");
    if (whens != NULL && !json_is_object(whens))
        return refuse_member(reader, "when", "is not an object");
    void *room = NULL;
    enum status status =
        make_room(reader, "when", json_object_size(whens), WHENS_MOST, sizeof *out->whens, &room);
    out->whens = room;
    struct place here = {.above = reader->place, .name = BYTES("when")};
    for (void *at = json_object_iter(whens); at != NULL && status == STATUS_OK;
         at = json_object_iter_next(whens, at)) {
        struct place place = {.above = &here, .name = iterator_name(at)};
        const struct reader at_field = {reader->problem, &place};
        struct condition *when = &out->whens[out->when_count++];
        when->value = json_object_iter_value(at);
        status = read_field(&at_field, iterator_name(at), &when->field);
        if (status == STATUS_OK && (json_is_object(when->value) || json_is_array(when->value)))
            status = problem_at(reader->problem, &place, "is not a single value");
    }
    return status;
}

static enum status read_expectation(const struct reader *reader, json_t *object,
                                    struct expectation *out) {
    static const char *const names[] = {"round", "method", "path",        "status",
                                        "sends", "reads",  "sendsValues", "when"};
    if (!json_is_object(object))
        return problem_at(reader->problem, reader->place, "is not an object");
    enum status status = check_names(reader, object, names, sizeof names / sizeof names[0]);
    if (status == STATUS_OK)
        status = read_text(reader, object, "round", &out->round);
    if (status == STATUS_OK)
        status = read_method(reader, object, &out->method);
    if (status == STATUS_OK)
        status = read_path(reader, object, &out->path);
    if (status == STATUS_OK)
        status = read_status(reader, object, &out->status);
    if (status == STATUS_OK)
        status = read_sends(reader, object, out);
    if (status == STATUS_OK)
        status = read_whens(reader, object, out);
    return status == STATUS_OK ? read_reads(reader, object, out) : status;
}

static enum status read_expectations(const struct reader *reader, struct contract_consumer *out) {
    json_t *list = node_member(out->root, "expectations");
    if (!json_is_array(list))
        return refuse_member(reader, "expectations",
                             list == NULL ? "is missing" : "is not an array");
    void *room = NULL;
    size_t count = json_array_size(list);
    enum status status = make_room(reader, "expectations", count, EXPECTATIONS_MOST,
                                   sizeof *out->expectations, &room);
    out->expectations = room;
    struct place here = {.name = BYTES("expectations")};
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct place place = {.above = &here, .index = i};
        const struct reader at_item = {reader->problem, &place};
        status =
            read_expectation(&at_item, json_array_get(list, i), &out->expectations[out->count++]);
    }
    return status;
}

static enum status read_copy(struct contract_consumer *consumer, struct contract_problem *problem) {
    static const char *const names[] = {"consumer", "expectations"};
    const struct reader reader = {.problem = problem};
    if (!json_is_object(consumer->root))
        return problem_at(problem, NULL, "is not an object");
    enum status status =
        check_names(&reader, consumer->root, names, sizeof names / sizeof names[0]);
    if (status == STATUS_OK)
        status = read_text(&reader, consumer->root, "consumer", &consumer->name);
    return status == STATUS_OK ? read_expectations(&reader, consumer) : status;
}

enum status contract_consumer_read(struct bytes text, struct contract_consumer **out,
                                   struct contract_problem *problem) {
    struct contract_consumer *consumer = calloc(1, sizeof *consumer);
    if (consumer == NULL)
        return STATUS_NO_MEMORY;
    enum status status = input_read(text, CONTRACT_CONSUMER_SIZE_MAX, &consumer->tree, problem);
    consumer->root = consumer->tree.root;
    if (status == STATUS_OK)
        status = read_copy(consumer, problem);
    if (status == STATUS_OK)
        *out = consumer;
    else
        contract_consumer_free(consumer);
    return status;
}

void contract_consumer_free(struct contract_consumer *consumer) {
    if (consumer == NULL)
        return;
    for (size_t i = 0; i < consumer->count; i++) {
        free(consumer->expectations[i].sends);
        free(consumer->expectations[i].whens);
        free(consumer->expectations[i].reads);
    }
    free(consumer->expectations);
    json_tree_done(&consumer->tree);
    free(consumer);
}
