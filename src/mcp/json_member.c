#include "json_member.h"

#include "hex.h"

static bool is_space(unsigned char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static struct bytes skip_space(struct bytes text) {
    while (text.size > 0 && is_space(text.data[0]))
        text = bytes_from(text, 1);
    return text;
}

/* The size of the string at the start of a text, quotes included; 0 when there is none. */
static size_t string_size(struct bytes text) {
    if (text.size == 0 || text.data[0] != '"')
        return 0;
    for (size_t i = 1; i < text.size; i++) {
        if (text.data[i] == '"')
            return i + 1;
        i += text.data[i] == '\\';
    }
    return 0;
}

static size_t nested_size(struct bytes text) {
    size_t depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = text.data[i];
        size_t size = byte == '"' ? string_size(bytes_from(text, i)) : 1;
        if (size == 0)
            return 0;
        i += size - 1;
        depth += byte == '{' || byte == '[';
        depth -= byte == '}' || byte == ']';
        if (depth == 0)
            return i + 1;
    }
    return 0;
}

static size_t scalar_size(struct bytes text) {
    size_t size = 0;
    while (size < text.size && !is_space(text.data[size]) && text.data[size] != ',' &&
           text.data[size] != '}' && text.data[size] != ']')
        size++;
    return size;
}

static size_t value_size(struct bytes text) {
    if (text.size == 0)
        return 0;
    if (text.data[0] == '"')
        return string_size(text);
    return text.data[0] == '{' || text.data[0] == '[' ? nested_size(text) : scalar_size(text);
}

/* True when a string, quotes included, is `name`, whose letters may be written as escapes. */
static bool string_is(struct bytes string, struct bytes name) {
    struct bytes text = bytes_up_to(bytes_from(string, 1), string.size - 2);
    for (size_t i = 0; i < name.size; i++) {
        unsigned char unit[2];
        size_t size = 1;
        if (text.size >= 6 && text.data[0] == '\\' && text.data[1] == 'u' &&
            hex_parse(bytes_up_to(bytes_from(text, 2), 4), unit, 2) && unit[0] == 0 &&
            unit[1] == name.data[i])
            size = 6;
        else if (text.size == 0 || text.data[0] != name.data[i])
            return false;
        text = bytes_from(text, size);
    }
    return text.size == 0;
}

bool json_member_find(struct bytes object, struct bytes name, struct bytes *value) {
    struct bytes rest = skip_space(object);
    if (rest.size == 0 || rest.data[0] != '{')
        return false;
    do {
        rest = skip_space(bytes_from(rest, 1));
        struct bytes key = bytes_up_to(rest, string_size(rest));
        rest = skip_space(bytes_from(rest, key.size));
        if (key.size == 0 || rest.size == 0 || rest.data[0] != ':')
            return false;
        rest = skip_space(bytes_from(rest, 1));
        struct bytes found = bytes_up_to(rest, value_size(rest));
        if (found.size == 0)
            return false;
        if (string_is(key, name)) {
            *value = found;
            return true;
        }
        rest = skip_space(bytes_from(rest, found.size));
    } while (rest.size > 0 && rest.data[0] == ',');
    return false;
}
