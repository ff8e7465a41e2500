#include "book_report.h"

#include "options.h"
#include "visible_text.h"

static const char MAY_BE_BOOKED[] = "the visit may be booked; ask the salon before trying again";
static const char IS_RECORDED[] =
    "the salon's record holds the visit; ask the salon before trying again";

/* A slot of NULL is JSON's null. */
static bool print_result(const char *status, const struct bytes *slot, struct bytes say) {
    struct buffer line = buffer_new(OUTPUT_SIZE_MAX);
    buffer_append(&line, BYTES("{\"status\":\""));
    buffer_append_text(&line, status);
    buffer_append(&line, BYTES("\",\"slot\":"));
    if (slot == NULL)
        buffer_append(&line, BYTES("null"));
    else
        visible_json_write(&line, *slot);
    buffer_append(&line, BYTES(",\"say\":"));
    visible_json_write(&line, say);
    buffer_append(&line, BYTES("}\n"));
    return output_text(stdout, &line);
}

int report_booked(bool is_json, struct bytes slot, struct bytes say) {
    if (is_json ? print_result("booked", &slot, say) : output_line(stdout, say))
        return 0;
    output_line(stderr, bytes_of_text(IS_RECORDED));
    return EXIT_UNKNOWN;
}

int report_recorded(bool is_json, struct bytes problem) {
    return output_failure(is_json, EXIT_UNKNOWN, problem, IS_RECORDED);
}

int report_not_booked(bool is_json, struct bytes say) {
    if (is_json)
        print_result("not_booked", NULL, say);
    else
        output_line(stdout, say);
    return EXIT_NOT_BOOKED;
}

int report_taken(bool is_json, struct bytes slot, bool is_recorded) {
    struct buffer say = buffer_new(OUTPUT_SIZE_MAX);
    buffer_append(&say, slot);
    buffer_append_text(&say, " was taken meanwhile. Pick another time?");
    if (is_json)
        print_result(is_recorded ? "taken_but_recorded" : "taken", &slot, buffer_bytes(&say));
    else
        output_line(stdout, buffer_bytes(&say));
    buffer_clear(&say);
    buffer_append_text(&say, "the salon's record still holds ");
    buffer_append(&say, slot);
    buffer_append_text(&say, "; tell the salon");
    if (is_recorded)
        output_line(is_json ? stderr : stdout, buffer_bytes(&say));
    buffer_done(&say);
    return EXIT_TAKEN;
}

int report_problem(bool is_json, const struct problem *problem, const char *detail) {
    int code = problem->may_be_booked ? EXIT_UNKNOWN : EXIT_FAILED;
    output_failure(is_json, code, problem->text, problem->may_be_booked ? MAY_BE_BOOKED : NULL);
    if (problem->location.size > 0) {
        struct buffer line = buffer_new(OUTPUT_SIZE_MAX);
        buffer_append_text(&line, "it pointed to ");
        visible_text_write(&line, problem->location);
        buffer_append_byte(&line, '\n');
        output_text(stderr, &line);
    }
    if (detail != NULL)
        output_line(stderr, bytes_of_text(detail));
    return code;
}

int report_status(bool is_json, enum round under_way, enum status status) {
    bool may_be_booked = under_way == ROUND_TWO;
    return output_failure(is_json, may_be_booked ? EXIT_UNKNOWN : EXIT_FAILED,
                          bytes_of_text(status_text(status)), may_be_booked ? MAY_BE_BOOKED : NULL);
}
