#include "schema.h"

/* True when a schema under additionalProperties says something of what it allows. */
static bool describes(json_t *schema) {
    static const char *const keywords[] = {"$ref",  "type",  "enum",  "const",      "allOf",
                                           "anyOf", "oneOf", "items", "properties", "required"};
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (node_member(schema, keywords[i]) != NULL)
            return true;
    return false;
}

/* A property that doesn't travel in the walk's direction. */
static bool travels_not(const struct walk *walk, json_t *schema) {
    const char *mark = walk->direction == READ_BY_PROVIDER ? "readOnly" : "writeOnly";
    return node_member_is_true(schema, mark) ||
           node_member_is_true(reference_follow(walk->provider->root, schema), mark);
}

static bool names_required(json_t *part, struct bytes name) {
    json_t *names = node_member(part, "required");
    for (size_t i = 0; i < json_array_size(names); i++)
        if (bytes_equal(json_text(json_array_get(names, i)), name))
            return true;
    return false;
}

static void add_schema(struct child *child, json_t *schema) {
    child->exists = true;
    child->schemas.schemas[child->schemas.count++] = schema;
}

/* What one part says of a property; false when it rules it out. */
static bool add_property(const struct walk *walk, json_t *part, struct bytes name,
                         struct child *child) {
    json_t *declared = node_member_named(node_member(part, "properties"), name);
    json_t *others = node_member(part, "additionalProperties");
    if (declared != NULL) {
        add_schema(child, declared);
        return !travels_not(walk, declared);
    }
    if (json_is_false(others) && node_member(part, "patternProperties") == NULL)
        return false;
    if (describes(others))
        add_schema(child, others);
    return true;
}

static void property_child(struct walk *walk, const struct branch *branch, struct bytes name,
                           struct child *out) {
    bool possible = (branch->kinds & KIND_OBJECT) != 0;
    for (size_t i = 0; i < branch->count && possible; i++) {
        json_t *part = branch->parts[i];
        if (!walk_goes_on(walk, 1 + json_array_size(node_member(part, "required"))))
            return;
        possible = add_property(walk, part, name, out);
        out->required = out->required || names_required(part, name);
    }
    out->exists = possible && (out->exists || out->required);
}

static void items_child(const struct branch *branch, struct child *out) {
    for (size_t i = 0; i < branch->count && (branch->kinds & KIND_ARRAY) != 0; i++) {
        json_t *items = node_member(branch->parts[i], "items");
        if (items != NULL)
            add_schema(out, items);
    }
    out->required = out->exists;
}

void branch_child(struct walk *walk, const struct branch *branch, const struct step *step,
                  struct child *out) {
    out->exists = false;
    out->required = false;
    out->schemas.count = 0;
    if (step->name.data == NULL)
        items_child(branch, out);
    else
        property_child(walk, branch, step->name, out);
}

bool branch_is_only_for(const struct branch *branch, const struct step *step) {
    unsigned only = step->name.data == NULL ? KIND_ARRAY : KIND_OBJECT;
    return branch->kinds == only || branch->kinds == KIND_ALL;
}

bool branch_is_free_form(const struct branch *branch) {
    bool declares = false;
    bool opens = false;
    if ((branch->kinds & KIND_OBJECT) == 0)
        return false;
    for (size_t i = 0; i < branch->count; i++) {
        json_t *others = node_member(branch->parts[i], "additionalProperties");
        if (json_is_false(others))
            return false;
        declares = declares || node_member(branch->parts[i], "properties") != NULL;
        opens = opens || json_is_true(others) || (json_is_object(others) && !describes(others));
    }
    return opens || !declares;
}

static bool has_list(json_t *part) {
    return node_member(part, "const") != NULL || json_is_array(node_member(part, "enum"));
}

/* The first part with a list of values, or NULL. */
static json_t *listing_part(const struct branch *branch) {
    for (size_t i = 0; i < branch->count; i++)
        if (has_list(branch->parts[i]))
            return branch->parts[i];
    return NULL;
}

bool branch_is_limited(const struct branch *branch) {
    return listing_part(branch) != NULL ||
           (branch->kinds & ~(unsigned)(KIND_BOOLEAN | KIND_NULL)) == 0;
}

json_t *branch_candidate(const struct branch *branch, size_t index) {
    json_t *part = listing_part(branch);
    json_t *constant = node_member(part, "const");
    if (constant != NULL)
        return index == 0 ? constant : NULL;
    if (part != NULL)
        return json_array_get(node_member(part, "enum"), index);
    json_t *const implied[] = {json_true(), json_false(), json_null()};
    return index < sizeof implied / sizeof implied[0] ? implied[index] : NULL;
}

static bool part_lists(struct walk *walk, json_t *part, json_t *value) {
    json_t *constant = node_member(part, "const");
    json_t *values = node_member(part, "enum");
    if (!walk_goes_on(walk, 1 + json_array_size(values)))
        return false;
    return (constant == NULL || values_equal(constant, value)) &&
           (!json_is_array(values) || value_is_among(value, values));
}

bool branch_lists_candidate(struct walk *walk, const struct branch *branch, json_t *candidate) {
    json_t *own = listing_part(branch);
    if (own == NULL)
        return branch_lists(walk, branch, candidate);
    for (size_t i = 0; i < branch->count; i++)
        if (branch->parts[i] != own && !part_lists(walk, branch->parts[i], candidate))
            return false;
    return true;
}

bool branch_lists(struct walk *walk, const struct branch *branch, json_t *value) {
    bool listed = false;
    for (size_t i = 0; i < branch->count; i++) {
        if (!part_lists(walk, branch->parts[i], value))
            return false;
        listed = listed || has_list(branch->parts[i]);
    }
    return listed || (branch->kinds & (unsigned)value_kind(value)) != 0;
}

bool branch_takes(struct walk *walk, const struct branch *branch, json_t *value) {
    return (branch->kinds & (unsigned)value_kind(value)) != 0 && branch_lists(walk, branch, value);
}

struct type_list {
    const struct type **items;
    size_t count;
};

static void add_type(struct type_list *list, const struct type *type) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == type)
            return;
    list->items[list->count++] = type;
}

/* The types of one part by name, those that another part rules out left away. */
static void add_named_types(struct type_list *list, json_t *part, unsigned kinds) {
    json_t *type = node_member(part, "type");
    size_t count = json_is_array(type) ? json_array_size(type) : 1;
    for (size_t i = 0; i < count; i++) {
        json_t *name = json_is_array(type) ? json_array_get(type, i) : type;
        const struct type *known = type_of_name(json_text(name));
        if (known != NULL && (kinds & known->mark) != 0)
            add_type(list, known);
    }
}

size_t branch_types(const struct branch *branch, const struct type *out[TYPES_MOST]) {
    struct type_list list = {.items = out};
    for (size_t i = 0; i < branch->count; i++)
        add_named_types(&list, branch->parts[i], branch->kinds);
    json_t *value = NULL;
    if (list.count == 0 && listing_part(branch) != NULL)
        for (size_t i = 0; (value = branch_candidate(branch, i)) != NULL; i++)
            add_type(&list, type_of_mark(value_kind(value)));
    if (list.count == 0)
        add_type(&list, type_of_mark(KIND_OBJECT));
    return list.count;
}
