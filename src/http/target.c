#include "target.h"

#include "hex.h"

static bool starts_with_ignoring_case(struct bytes text, struct bytes start) {
    return text.size >= start.size &&
           bytes_equal_ignoring_case(bytes_up_to(text, start.size), start);
}

bool target_is_plain(struct bytes target) {
    for (size_t i = 0; i < target.size; i++)
        if (target.data[i] <= ' ' || target.data[i] == 0x7F)
            return false;
    return true;
}

bool target_path(struct bytes target, struct bytes *path) {
    if (bytes_find(target, '#') < target.size)
        return false;
    /* First of all: without a path, a slash in the query would pass for one. */
    target = bytes_up_to(target, bytes_find(target, '?'));
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        struct bytes scheme = bytes_of_text(schemes[i]);
        if (!starts_with_ignoring_case(target, scheme))
            continue;
        target = bytes_from(target, scheme.size);
        size_t host_size = bytes_find(target, '/');
        if (host_size == 0)
            return false;
        target = bytes_from(target, host_size);
        break;
    }
    if (target.size == 0 || target.data[0] != '/')
        return false;
    *path = target;
    return true;
}

/* Decodes % escapes once. False for a broken one. */
static bool decode(struct bytes escaped, unsigned char *room, struct bytes *out) {
    size_t size = 0;
    for (size_t i = 0; i < escaped.size; i++) {
        room[size] = escaped.data[i];
        if (escaped.data[i] == '%') {
            if (!hex_parse(bytes_up_to(bytes_from(escaped, i + 1), 2), &room[size], 1))
                return false;
            i += 2;
        }
        size++;
    }
    *out = (struct bytes){room, size};
    return true;
}

/* Takes the next segment off a path that begins with a slash. */
static struct bytes next_segment(struct bytes *path) {
    *path = bytes_from(*path, 1);
    struct bytes segment = bytes_up_to(*path, bytes_find(*path, '/'));
    *path = bytes_from(*path, segment.size);
    return segment;
}

static bool is_dot_segment(struct bytes segment) {
    return bytes_equal(segment, BYTES(".")) || bytes_equal(segment, BYTES(".."));
}

/* What keeps a parameter from being used, once the rest of the path has matched. */
static enum target_match judge(bool decoded, struct bytes parameter) {
    if (!decoded)
        return TARGET_BROKEN_ESCAPE;
    if (parameter.size == 0 || is_dot_segment(parameter))
        return TARGET_OTHER;
    if (bytes_find(parameter, 0) < parameter.size)
        return TARGET_NUL;
    return bytes_are_utf8(parameter) ? TARGET_MATCHES : TARGET_NOT_UTF8;
}

enum target_match target_match(struct bytes path, const char *template, unsigned char *room,
                               struct bytes *parameter) {
    struct bytes pattern = bytes_of_text(template);
    enum target_match match = TARGET_MATCHES;
    while (pattern.size > 0 && path.size > 0) {
        struct bytes wanted = next_segment(&pattern);
        struct bytes decoded = {room, 0};
        bool readable = decode(next_segment(&path), room, &decoded);
        if (wanted.size > 0 && wanted.data[0] == '{') {
            match = judge(readable, decoded);
            *parameter = decoded;
            room += decoded.size;
        } else if (!readable || !bytes_equal(wanted, decoded)) {
            return TARGET_OTHER;
        }
    }
    return pattern.size == 0 && path.size == 0 ? match : TARGET_OTHER;
}
