#include "hosts.h"

#include "framing.h"

static bool is_port(struct bytes text) {
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return true;
}

/* The name of an authority, without the port. False for one that can't be read. */
static bool name_of(struct bytes authority, struct bytes *name) {
    size_t size = bytes_find(authority, ':');
    if (authority.size > 0 && authority.data[0] == '[')
        size = bytes_find(authority, ']') + 1;
    *name = bytes_up_to(authority, size);
    struct bytes rest = bytes_from(authority, size);
    return name->size > 0 &&
           (rest.size == 0 || (rest.data[0] == ':' && is_port(bytes_from(rest, 1))));
}

bool host_is_allowed(const struct http_hosts *hosts, struct bytes authority) {
    struct bytes name;
    if (!name_of(framing_trim(authority), &name))
        return false;
    for (size_t i = 0; i < hosts->count; i++)
        if (bytes_equal_ignoring_case(bytes_of_text(hosts->names[i]), name))
            return true;
    return false;
}

bool origin_is_allowed(const struct http_hosts *hosts, struct bytes origin) {
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        struct bytes scheme = bytes_of_text(schemes[i]);
        if (bytes_equal_ignoring_case(bytes_up_to(origin, scheme.size), scheme))
            return host_is_allowed(hosts, bytes_from(origin, scheme.size));
    }
    return false;
}
