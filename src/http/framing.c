#include "framing.h"

static bool is_token_byte(unsigned char byte) {
    if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
        (byte >= '0' && byte <= '9'))
        return true;
    struct bytes others = BYTES("!#$%&'*+-.^_`|~");
    return bytes_find(others, byte) < others.size;
}

static bool is_token(struct bytes name) {
    for (size_t i = 0; i < name.size; i++)
        if (!is_token_byte(name.data[i]))
            return false;
    return name.size > 0;
}

struct bytes framing_trim(struct bytes text) {
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\t'))
        text = bytes_from(text, 1);
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t'))
        text.size--;
    return text;
}

static bool parse_length(struct bytes text, uint64_t *length) {
    text = framing_trim(text);
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char digit = text.data[i];
        if (digit < '0' || digit > '9')
            return false;
        value = value > (UINT64_MAX - 9) / 10 ? UINT64_MAX : value * 10 + (digit - '0');
    }
    *length = value;
    return text.size > 0;
}

void framing_add(struct framing *framing, struct bytes name, struct bytes value) {
    if (!is_token(name))
        framing->bad_name = true;
    if (bytes_equal_ignoring_case(name, BYTES("Host")))
        framing->hosts++;
    if (bytes_equal_ignoring_case(name, BYTES("Content-Length"))) {
        framing->lengths++;
        if (!parse_length(value, &framing->length))
            framing->bad_length = true;
    }
    if (bytes_equal_ignoring_case(name, BYTES("Transfer-Encoding"))) {
        framing->codings++;
        framing->chunked = bytes_equal_ignoring_case(value, BYTES("chunked"));
    }
    if (bytes_equal_ignoring_case(name, BYTES("Content-Type"))) {
        framing->content_types++;
        framing->content_type = value;
    }
}

const char *framing_problem(const struct framing *framing, bool needs_host) {
    if (framing->bad_name)
        return "a header's name is not a token";
    if (framing->lengths > 1)
        return "Content-Length is given twice";
    if (framing->bad_length)
        return "Content-Length is not a number";
    if (framing->codings > 1 || (framing->codings == 1 && !framing->chunked))
        return "Transfer-Encoding must be chunked, once";
    if (framing->codings > 0 && framing->lengths > 0)
        return "Content-Length and Transfer-Encoding don't go together";
    if (framing->hosts > 1)
        return "Host is given twice";
    if (needs_host && framing->hosts == 0)
        return "Host is missing";
    return NULL;
}

bool framing_has_body(const struct framing *framing) {
    return framing->codings > 0 || framing->length > 0;
}

bool content_type_is_json(struct bytes content_type) {
    struct bytes type = bytes_up_to(content_type, bytes_find(content_type, ';'));
    return bytes_equal_ignoring_case(framing_trim(type), BYTES("application/json"));
}
