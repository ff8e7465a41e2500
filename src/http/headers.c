#include "headers.h"

#include "http_server.h"

void request_headers_add(struct request_headers *headers, struct bytes name, struct bytes value) {
    framing_add(&headers->framing, name, value);
    if (bytes_equal_ignoring_case(name, BYTES("X-Request-Id")))
        headers->request_id = value;
    else if (bytes_equal_ignoring_case(name, BYTES("Host")))
        headers->host = value;
    else if (bytes_equal_ignoring_case(name, BYTES("Origin"))) {
        headers->origin = value;
        headers->origins++;
    } else if (bytes_equal_ignoring_case(name, BYTES("Access-Control-Request-Method")))
        headers->asks_for_method = true;
}

static bool is_safe(unsigned char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '.' || byte == '_' || byte == '-';
}

bool request_id_is_safe(struct bytes id) {
    for (size_t i = 0; i < id.size; i++)
        if (!is_safe(id.data[i]))
            return false;
    return id.size > 0 && id.size <= REQUEST_ID_SIZE_MAX;
}
