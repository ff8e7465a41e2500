#include "wire.h"

#include "hex.h"
#include "json_read.h"
#include "json_text.h"

#include <stdlib.h>

static void write_hex_string(struct buffer *out, struct bytes bytes) {
    buffer_append_byte(out, '"');
    unsigned char *digits = buffer_extend(out, 2 * bytes.size);
    if (digits != NULL)
        hex_write(bytes, digits);
    buffer_append_byte(out, '"');
}

void wire_claims_write(struct buffer *out, int64_t good_until, const unsigned char *nonce,
                       struct offer offered, const unsigned char digest[CLAIMS_DIGEST_SIZE]) {
    buffer_append(out, BYTES("{\"goodUntil\":"));
    buffer_append_integer(out, good_until);
    if (nonce != NULL) {
        buffer_append(out, BYTES(",\"nonce\":"));
        write_hex_string(out, (struct bytes){nonce, CLAIMS_NONCE_SIZE});
    }
    buffer_append(out, BYTES(",\"offered\":"));
    json_write_strings(out, offered.times, offered.count);
    buffer_append(out, BYTES(",\"request\":"));
    write_hex_string(out, (struct bytes){digest, CLAIMS_DIGEST_SIZE});
    buffer_append_byte(out, '}');
}

/* The document and the texts that point into it, released together. */
struct owned_claims {
    struct json_tree document;
    struct bytes times[];
};

static bool read_times(const json_t *offered, struct bytes *times) {
    for (size_t i = 0; i < json_array_size(offered); i++) {
        const json_t *time = json_array_get(offered, i);
        if (!json_is_string(time))
            return false;
        times[i] = json_text(time);
    }
    return true;
}

static bool read_claims(struct owned_claims *owned, struct wire_claims *claims) {
    const json_t *root = owned->document.root;
    const json_t *good_until = json_object_get(root, "goodUntil");
    const json_t *offered = json_object_get(root, "offered");
    const json_t *digest = json_object_get(root, "request");
    const json_t *nonce = json_object_get(root, "nonce");
    if (!json_is_integer(good_until) || !json_is_string(digest) || !json_is_array(offered) ||
        !read_times(offered, owned->times))
        return false;
    claims->good_until = json_integer_value(good_until);
    claims->has_nonce =
        json_is_string(nonce) && hex_parse(json_text(nonce), claims->nonce, sizeof claims->nonce);
    claims->digest = json_text(digest);
    claims->offered = (struct offer){owned->times, json_array_size(offered)};
    claims->owned = owned;
    return true;
}

static void free_owned(struct owned_claims *owned) {
    json_tree_done(&owned->document);
    free(owned);
}

enum status wire_claims_parse(struct bytes payload, struct wire_claims *claims) {
    struct json_tree document;
    enum status status = json_read(payload, &document, NULL);
    if (status != STATUS_OK)
        return status;
    size_t time_count = json_array_size(json_object_get(document.root, "offered"));
    struct owned_claims *owned = malloc(sizeof *owned + time_count * sizeof owned->times[0]);
    if (owned == NULL) {
        json_tree_done(&document);
        return STATUS_NO_MEMORY;
    }
    owned->document = document;
    struct wire_claims read = {0};
    if (!read_claims(owned, &read)) {
        free_owned(owned);
        return STATUS_INVALID;
    }
    *claims = read;
    return STATUS_OK;
}

void wire_claims_done(struct wire_claims *claims) {
    if (claims->owned != NULL)
        free_owned(claims->owned);
    claims->owned = NULL;
}
