#include "book_prompt.h"

#include "book_interrupt.h"
#include "visible_text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { LINE_SIZE_MAX = 4096, SHOWN_SIZE_MAX = 4194304, DIGITS_MOST = 6 };

static int open_terminal(struct prompt *prompt) {
    if (prompt->terminal < 0)
        prompt->terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    return prompt->terminal;
}

bool prompt_init(struct prompt *prompt, bool input_is_used, bool output_is_used,
                 int interrupt_file) {
    struct prompt found = {-1, -1, -1, interrupt_file};
    if (input_is_used)
        found.in = open_terminal(&found);
    else if (isatty(STDIN_FILENO))
        found.in = STDIN_FILENO;
    if (found.in < 0)
        return false;
    if (!output_is_used && isatty(STDOUT_FILENO))
        found.out = STDOUT_FILENO;
    else if (isatty(STDERR_FILENO))
        found.out = STDERR_FILENO;
    else
        found.out = open_terminal(&found);
    if (found.out < 0)
        return false;
    *prompt = found;
    return true;
}

void prompt_done(struct prompt *prompt) {
    if (prompt->terminal >= 0)
        close(prompt->terminal);
}

static void show(const struct prompt *prompt, struct buffer *text) {
    struct bytes rest = buffer_bytes(text);
    while (rest.size > 0) {
        ssize_t written = write(prompt->out, rest.data, rest.size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        rest = bytes_from(rest, (size_t)written);
    }
    buffer_done(text);
}

static void show_question(const struct prompt *prompt, const struct question *question) {
    struct buffer text = buffer_new(SHOWN_SIZE_MAX);
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
    show(prompt, &text);
}

static void show_text(const struct prompt *prompt, struct bytes words) {
    struct buffer text = buffer_new(SHOWN_SIZE_MAX);
    buffer_append(&text, words);
    show(prompt, &text);
}

static void show_unclear(const struct prompt *prompt, const struct question *question,
                         struct bytes line) {
    struct buffer text = buffer_new(SHOWN_SIZE_MAX);
    buffer_append_byte(&text, '"');
    visible_text_write(&text, line);
    buffer_append(&text, BYTES("\" is not a choice: answer with a number from 1 to "));
    buffer_append_integer(&text, (int64_t)question->time_count);
    buffer_append(&text, BYTES(", the time itself, d or q\n"));
    show(prompt, &text);
}

/* A line without its end, or what came before the end of input. What is past the buffer's ceiling
 * is dropped, which makes the line unclear. */
enum line_end { LINE_READ, LINE_NONE, LINE_INTERRUPTED };

static enum line_end read_line(const struct prompt *prompt, struct buffer *line) {
    buffer_clear(line);
    for (;;) {
        unsigned char byte = 0;
        if (!interrupt_wait(prompt->interrupt_file, prompt->in))
            return LINE_INTERRUPTED;
        ssize_t got = read(prompt->in, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return line->size > 0 ? LINE_READ : LINE_NONE;
        if (byte == '\n')
            return LINE_READ;
        buffer_append_byte(line, byte);
    }
}

static struct bytes trim(struct bytes line) {
    while (line.size > 0 && (line.data[0] == ' ' || line.data[0] == '\t'))
        line = bytes_from(line, 1);
    while (line.size > 0 && (line.data[line.size - 1] == ' ' || line.data[line.size - 1] == '\t' ||
                             line.data[line.size - 1] == '\r'))
        line.size--;
    return line;
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
    struct bytes word = trim(exact);
    *end = PROMPT_CHOSEN;
    if (find_time(question, exact, choice) || find_time(question, word, choice) ||
        find_number(question, word, choice))
        return true;
    *end = bytes_equal(word, BYTES("d")) ? PROMPT_DECLINED : PROMPT_LEFT;
    return *end == PROMPT_DECLINED || bytes_equal(word, BYTES("q"));
}

static enum prompt_end ask_until_clear(const struct prompt *prompt, const struct question *question,
                                       struct buffer *line, size_t *choice) {
    for (;;) {
        show_text(prompt, BYTES("> "));
        enum line_end read = read_line(prompt, line);
        if (read != LINE_READ) {
            show_text(prompt, BYTES("\n"));
            return read == LINE_NONE ? PROMPT_LEFT : PROMPT_INTERRUPTED;
        }
        enum prompt_end end = PROMPT_LEFT;
        if (understand(question, line, &end, choice))
            return end;
        show_unclear(prompt, question, buffer_bytes(line));
    }
}

enum prompt_end prompt_ask(const struct prompt *prompt, const struct question *question,
                           size_t *choice) {
    struct buffer line = buffer_new(LINE_SIZE_MAX);
    show_question(prompt, question);
    enum prompt_end end = ask_until_clear(prompt, question, &line, choice);
    buffer_done(&line);
    return end;
}
