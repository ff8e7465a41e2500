#include "mcp_ask.h"

#include "visible_text.h"

enum { LINE_SIZE_MAX = 65536, PROBLEM_SIZE_MAX = 4096 };

static void add_field_problem(struct buffer *problem, const struct form_field *field,
                              struct bytes text) {
    buffer_append(problem, field->name);
    buffer_append_text(problem, ": ");
    buffer_append(problem, text);
}

/* Adds an answer that was given as text. */
static enum ask_end add_answer(const struct form_field *field, struct bytes text,
                               struct buffer *content, struct buffer *problem) {
    struct buffer json = buffer_new(FORM_ANSWER_SIZE_MAX);
    struct buffer wrong = buffer_new(PROBLEM_SIZE_MAX);
    enum status status = form_answer(field, text, false, &json, &wrong);
    if (status == STATUS_OK)
        form_add_answer(content, field, buffer_bytes(&json));
    else
        add_field_problem(problem, field,
                          status == STATUS_INVALID ? buffer_bytes(&wrong)
                                                   : bytes_of_text(status_text(status)));
    buffer_done(&json);
    buffer_done(&wrong);
    return status == STATUS_OK && content->status == STATUS_OK ? ASK_ACCEPTED : ASK_FAILED;
}

/* The index of the answer to a field; the count when there is none. */
static size_t find_answer(const struct values *answers, struct bytes field, struct bytes *value) {
    for (size_t i = 0; i < answers->count; i++) {
        struct bytes text = bytes_of_text(answers->items[i]);
        size_t equals = bytes_find(text, '=');
        if (bytes_equal(bytes_up_to(text, equals), field)) {
            *value = bytes_from(text, equals + 1);
            return i;
        }
    }
    return answers->count;
}

static enum ask_end answer_field(const struct form_field *field, const struct values *answers,
                                 bool *is_used, struct buffer *content, struct buffer *problem) {
    struct bytes value = BYTES("");
    size_t index = find_answer(answers, field->name, &value);
    if (index < answers->count) {
        is_used[index] = true;
        return add_answer(field, value, content, problem);
    }
    if (field->standard.size > 0)
        form_add_answer(content, field, field->standard);
    else if (field->is_required) {
        add_field_problem(problem, field, BYTES("it needs an answer: give --answer"));
        return ASK_FAILED;
    }
    return ASK_ACCEPTED;
}

enum ask_end ask_answers(const struct session_question *question, const struct values *answers,
                         bool *is_used, struct buffer *content, struct buffer *problem) {
    const struct form *form = question->form;
    for (size_t i = 0; i < form->field_count; i++) {
        enum ask_end end = answer_field(&form->fields[i], answers, is_used, content, problem);
        if (end != ASK_ACCEPTED)
            return end;
    }
    return ASK_ACCEPTED;
}

static void show_question(const struct terminal *terminal, const struct session_question *question,
                          const char *where) {
    struct buffer text = buffer_new(TERMINAL_SHOWN_SIZE_MAX);
    if (question->server.size > 0) {
        visible_text_write(&text, question->server);
        buffer_append(&text, BYTES(" ("));
    }
    visible_text_write(&text, bytes_of_text(where));
    buffer_append(&text, question->server.size > 0 ? BYTES(") asks:\n  ") : BYTES(" asks:\n  "));
    visible_lines_write(&text, question->message, "  ");
    buffer_append(&text, BYTES("\n(/decline declines, /cancel leaves)\n"));
    terminal_show(terminal, &text);
}

static const char *kind_of(const struct form_field *field) {
    switch (field->type) {
    case FORM_STRING:
        break;
    case FORM_INTEGER:
        return "a whole number";
    case FORM_NUMBER:
        return "a number";
    case FORM_BOOLEAN:
        return "yes or no";
    case FORM_CHOICE:
        return "one of";
    case FORM_CHOICES:
        return "any of, with commas between";
    }
    switch (field->format) {
    case FORM_ANY:
        return "a text";
    case FORM_EMAIL:
        return "an e-mail address";
    case FORM_URI:
        return "a URI";
    case FORM_DATE:
        return "a date";
    case FORM_DATE_TIME:
        return "a date and time";
    }
    return "a text";
}

static void show_field(const struct terminal *terminal, const struct form_field *field) {
    struct buffer text = buffer_new(TERMINAL_SHOWN_SIZE_MAX);
    visible_text_write(&text, field->title.size > 0 ? field->title : field->name);
    buffer_append(&text, BYTES(" ("));
    buffer_append_text(&text, kind_of(field));
    buffer_append(&text, field->is_required ? BYTES(")") : BYTES("; may be left out)"));
    if (field->description.size > 0) {
        buffer_append(&text, BYTES(": "));
        visible_lines_write(&text, field->description, "  ");
    }
    buffer_append_byte(&text, '\n');
    for (size_t i = 0; i < field->choice_count; i++) {
        buffer_append(&text, BYTES("  "));
        buffer_append_integer(&text, (int64_t)i + 1);
        buffer_append(&text, BYTES("  "));
        visible_text_write(&text, field->choices[i].title);
        buffer_append_byte(&text, '\n');
    }
    terminal_show(terminal, &text);
}

static void show_prompt(const struct terminal *terminal, const struct form_field *field) {
    struct buffer text = buffer_new(TERMINAL_SHOWN_SIZE_MAX);
    if (field->standard.size > 0) {
        buffer_append_byte(&text, '[');
        visible_json_text_write(&text, field->standard);
        buffer_append(&text, BYTES("] "));
    }
    buffer_append(&text, BYTES("> "));
    terminal_show(terminal, &text);
}

static void show_wrong(const struct terminal *terminal, struct bytes problem) {
    struct buffer text = buffer_new(TERMINAL_SHOWN_SIZE_MAX);
    visible_text_write(&text, problem);
    buffer_append_byte(&text, '\n');
    terminal_show(terminal, &text);
}

/* True when the line settles the field. */
static bool take_line(const struct terminal *terminal, const struct form_field *field,
                      const struct buffer *line, struct buffer *content) {
    struct bytes text = buffer_bytes(line);
    if (line->status != STATUS_OK) {
        show_wrong(terminal, BYTES("that is too long"));
        return false;
    }
    if (text.size == 0 && field->standard.size > 0) {
        form_add_answer(content, field, field->standard);
        return true;
    }
    if (text.size == 0 && !field->is_required)
        return true;
    if (text.size == 0) {
        show_wrong(terminal, BYTES("it needs an answer"));
        return false;
    }
    struct buffer json = buffer_new(FORM_ANSWER_SIZE_MAX);
    struct buffer wrong = buffer_new(PROBLEM_SIZE_MAX);
    enum status status = form_answer(field, text, true, &json, &wrong);
    if (status == STATUS_OK)
        form_add_answer(content, field, buffer_bytes(&json));
    else
        show_wrong(terminal, status == STATUS_INVALID ? buffer_bytes(&wrong)
                                                      : bytes_of_text(status_text(status)));
    buffer_done(&json);
    buffer_done(&wrong);
    return status == STATUS_OK;
}

static enum ask_end ask_field(const struct terminal *terminal, const struct form_field *field,
                              struct buffer *line, struct buffer *content) {
    show_field(terminal, field);
    for (;;) {
        show_prompt(terminal, field);
        switch (terminal_read_line(terminal, line)) {
        case TERMINAL_LINE:
            break;
        case TERMINAL_END:
            terminal_say(terminal, BYTES("\n"));
            return ASK_CANCELLED;
        case TERMINAL_INTERRUPTED:
            terminal_say(terminal, BYTES("\n"));
            return ASK_INTERRUPTED;
        }
        if (bytes_equal(buffer_bytes(line), BYTES("/decline")))
            return ASK_DECLINED;
        if (bytes_equal(buffer_bytes(line), BYTES("/cancel")))
            return ASK_CANCELLED;
        if (take_line(terminal, field, line, content))
            return ASK_ACCEPTED;
    }
}

/* A form without fields is a question to be agreed to. */
static enum ask_end ask_consent(const struct terminal *terminal, struct buffer *line) {
    static const struct form_field agree = {
        .name = {(const unsigned char *)"Agree", 5}, .type = FORM_BOOLEAN, .is_required = true};
    struct buffer content = buffer_new(LINE_SIZE_MAX);
    enum ask_end end = ask_field(terminal, &agree, line, &content);
    bool agrees = bytes_equal(buffer_bytes(&content), BYTES("\"Agree\":true"));
    buffer_done(&content);
    return end == ASK_ACCEPTED && !agrees ? ASK_DECLINED : end;
}

enum ask_end ask_person(const struct terminal *terminal, const struct session_question *question,
                        const char *where, struct buffer *content, struct buffer *problem) {
    struct buffer line = buffer_new(LINE_SIZE_MAX);
    enum ask_end end = ASK_ACCEPTED;
    show_question(terminal, question, where);
    if (question->form->field_count == 0)
        end = ask_consent(terminal, &line);
    for (size_t i = 0; i < question->form->field_count && end == ASK_ACCEPTED; i++)
        end = ask_field(terminal, &question->form->fields[i], &line, content);
    buffer_done(&line);
    if (end == ASK_ACCEPTED && content->status != STATUS_OK) {
        buffer_append_text(problem, status_text(content->status));
        return ASK_FAILED;
    }
    return end;
}
