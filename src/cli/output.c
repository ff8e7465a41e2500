#include "output.h"

#include "visible_text.h"

bool output_text(FILE *file, struct buffer *text) {
    struct bytes bytes = buffer_bytes(text);
    bool is_printed = text->status == STATUS_OK &&
                      fwrite(bytes.data, 1, bytes.size, file) == bytes.size && fflush(file) == 0;
    if (!is_printed && file != stderr)
        fprintf(stderr, "the result could not be printed\n");
    buffer_done(text);
    return is_printed;
}

bool output_line(FILE *file, struct bytes text) {
    struct buffer line = buffer_new(OUTPUT_SIZE_MAX);
    visible_text_write(&line, text);
    buffer_append_byte(&line, '\n');
    return output_text(file, &line);
}

int output_failure(bool is_json, int code, struct bytes text, const char *more) {
    output_line(stderr, text);
    if (more != NULL)
        output_line(stderr, bytes_of_text(more));
    if (!is_json)
        return code;
    struct buffer line = buffer_new(OUTPUT_SIZE_MAX);
    buffer_append(&line, BYTES("{\"problem\":"));
    visible_json_write(&line, text);
    buffer_append(&line, BYTES("}\n"));
    output_text(stdout, &line);
    return code;
}
