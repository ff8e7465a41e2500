#include "idempotency_key.h"

#include "protocol_limits.h"

/* The size of the character at the start of `text`, which is not empty; 0 when no key has it. */
static size_t character_size(struct bytes text, bool in_quotes) {
    unsigned char first = text.data[0];
    if (first < ' ' || first > '~' || first == '"')
        return 0;
    if (!in_quotes || first != '\\')
        return 1;
    return text.size > 1 && (text.data[1] == '"' || text.data[1] == '\\') ? 2 : 0;
}

bool idempotency_key_parse(struct bytes header, struct bytes *key) {
    struct bytes text = header;
    bool in_quotes = text.size >= 2 && text.data[0] == '"' && text.data[text.size - 1] == '"';
    if (in_quotes)
        text = bytes_up_to(bytes_from(text, 1), text.size - 2);
    if (text.size == 0 || text.size > IDEMPOTENCY_KEY_SIZE_MAX)
        return false;
    for (size_t at = 0; at < text.size;) {
        size_t size = character_size(bytes_from(text, at), in_quotes);
        if (size == 0)
            return false;
        at += size;
    }
    *key = text;
    return true;
}
