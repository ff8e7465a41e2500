#include "book_prompt.h"

#include "visible_text.h"

enum { LINE_SIZE_MAX = 4096, DIGITS_MOST = 6 };

static void show_question(const struct terminal *terminal, const struct question *question) {
    struct buffer text = buffer_new(TERMINAL_SHOWN_SIZE_MAX);
    visible_text_write(&text, question->message);
    buffer_append_byte(&text, '\n');
    for (size_t i = 0; i < question->time_count; i++) {
        buffer_append(&text, BYTES("  "));
        buffer_append_integer(&text, (int64_t)i + 1);
        buffer_append(&text, BYTES("  "));
        visible_text_write(&text, question->times[i]);
        buffer_append_byte(&text, '\n');
    }
    buffer_append(&text, BYTES("  d  none of these\n  q  leave without answering\n"));
    terminal_show(terminal, &text);
}

static void show_unclear(const struct terminal *terminal, const struct question *question,
                         struct bytes line) {
    struct buffer text = buffer_new(TERMINAL_SHOWN_SIZE_MAX);
    buffer_append_byte(&text, '"');
    visible_text_write(&text, line);
    buffer_append(&text, BYTES("\" is not a choice: answer with a number from 1 to "));
    buffer_append_integer(&text, (int64_t)question->time_count);
    buffer_append(&text, BYTES(", the time itself, d or q\n"));
    terminal_show(terminal, &text);
}

/* True, and the time's index, when the line is a time's text. An empty line is none, although a
 * time may be empty: it is too easily given. */
static bool find_time(const struct question *question, struct bytes line, size_t *choice) {
    for (size_t i = 0; i < question->time_count && line.size > 0; i++)
        if (bytes_equal(question->times[i], line)) {
            *choice = i;
            return true;
        }
    return false;
}

static bool find_number(const struct question *question, struct bytes line, size_t *choice) {
    size_t number = 0;
    if (line.size == 0 || line.size > DIGITS_MOST)
        return false;
    for (size_t i = 0; i < line.size; i++) {
        if (line.data[i] < '0' || line.data[i] > '9')
            return false;
        number = number * 10 + (size_t)(line.data[i] - '0');
    }
    if (number < 1 || number > question->time_count)
        return false;
    *choice = number - 1;
    return true;
}

/* True when the line is an answer. */
static bool understand(const struct question *question, const struct buffer *line,
                       enum prompt_end *end, size_t *choice) {
    if (line->status != STATUS_OK)
        return false;
    struct bytes exact = buffer_bytes(line);
    struct bytes word = bytes_trimmed(exact);
    *end = PROMPT_CHOSEN;
    if (find_time(question, exact, choice) || find_time(question, word, choice) ||
        find_number(question, word, choice))
        return true;
    *end = bytes_equal(word, BYTES("d")) ? PROMPT_DECLINED : PROMPT_LEFT;
    return *end == PROMPT_DECLINED || bytes_equal(word, BYTES("q"));
}

static enum prompt_end ask_until_clear(const struct terminal *terminal,
                                       const struct question *question, struct buffer *line,
                                       size_t *choice) {
    for (;;) {
        terminal_say(terminal, BYTES("> "));
        enum terminal_line read = terminal_read_line(terminal, line);
        if (read != TERMINAL_LINE) {
            terminal_say(terminal, BYTES("\n"));
            return read == TERMINAL_END ? PROMPT_LEFT : PROMPT_INTERRUPTED;
        }
        enum prompt_end end = PROMPT_LEFT;
        if (understand(question, line, &end, choice))
            return end;
        show_unclear(terminal, question, buffer_bytes(line));
    }
}

enum prompt_end prompt_ask(const struct terminal *terminal, const struct question *question,
                           size_t *choice) {
    struct buffer line = buffer_new(LINE_SIZE_MAX);
    show_question(terminal, question);
    enum prompt_end end = ask_until_clear(terminal, question, &line, choice);
    buffer_done(&line);
    return end;
}
