/* A raw request target, and a header line: what http reads before any body. */
#include "headers.h"
#include "target.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void match(struct bytes target) {
    struct bytes path;
    if (!target_path(target, &path))
        return;
    unsigned char *room = malloc(path.size);
    if (room == NULL)
        return;
    struct bytes parameter = {NULL, 0};
    if (target_match(path, "/salons/{salon}/book", room, &parameter) == TARGET_MATCHES &&
        (parameter.size == 0 || !bytes_are_utf8(parameter) ||
         bytes_find(parameter, 0) < parameter.size))
        abort();
    free(room);
}

static void add_header(struct bytes line) {
    size_t colon = bytes_find(line, ':');
    struct request_headers headers = {0};
    request_headers_add(&headers, bytes_up_to(line, colon), bytes_from(line, colon + 1));
    framing_problem(&headers.framing, true);
    content_type_is_json(headers.framing.content_type);
    request_id_is_safe(headers.request_id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    match((struct bytes){data, size});
    add_header((struct bytes){data, size});
    return 0;
}
