#include "commands.h"

#include "book_calendar.h"
#include "book_config.h"
#include "book_prompt.h"
#include "book_report.h"
#include "hex.h"
#include "interrupt.h"
#include "random.h"
#include "round.h"

#include <signal.h>
#include <stdio.h>

enum {
    REPEAT_PAUSE = 1000, /* milliseconds: what a server asks for, and enough for its restart */
    KEY_SIZE = 16,       /* random bytes of an Idempotency-Key */
};

/* A booking, and what it consists of. */
struct book {
    const struct arguments *arguments;
    struct book_config config;
    int interrupt_file; /* or -1 */
    struct calendar calendar;
    struct terminal terminal;
    bool has_terminal;
    struct transport *transport;
    struct conversation *conversation;
    bool is_gone;         /* the chosen slot, so that the client declined */
    struct buffer chosen; /* a copy: the question doesn't outlive its answer */
    const char *detail;   /* why there was no reply, or NULL */
    bool is_repeating;    /* round two */
    bool is_interrupted;
};

/* What to say to the question. */
struct choice {
    enum prompt_end end;
    size_t index; /* with PROMPT_CHOSEN */
};

/* Carries one request, once, and gives the conversation what came of it. Returns 0, or the exit
 * code when that is the end. */
static int exchange_once(struct book *book, const struct round_request *request) {
    struct round_result result = {.detail = NULL};
    enum round round = conversation_under_way(book->conversation);
    enum status status = round_carry(book->transport, request, &result);
    if (status != STATUS_OK)
        return report_status(book->config.is_json, book->is_repeating ? ROUND_TWO : ROUND_NONE,
                             status);
    book->is_interrupted = result.is_interrupted;
    book->detail = result.detail;
    status = conversation_reply(book->conversation, &result.reply);
    return status == STATUS_OK ? 0 : report_status(book->config.is_json, round, status);
}

/* A round two whose end nobody knows, once more, under the same key. Returns as above. */
static int exchange_again(struct book *book) {
    struct round_request request;
    book->is_interrupted = !interrupt_pause(book->interrupt_file, REPEAT_PAUSE);
    if (book->is_interrupted)
        return 0;
    book->is_repeating = true;
    enum status status = conversation_repeat(book->conversation, &request);
    return status == STATUS_OK ? exchange_once(book, &request)
                               : report_status(book->config.is_json, ROUND_TWO, status);
}

/* Carries a request. An interruption ends it without a word, unless the visit may be booked. */
static int exchange(struct book *book, const struct round_request *request) {
    int result = exchange_once(book, request);
    if (result == 0 && !book->is_interrupted && conversation_may_repeat(book->conversation))
        result = exchange_again(book);
    if (result != 0 || !book->is_interrupted)
        return result;
    return conversation_problem(book->conversation)->may_be_booked ? 0 : EXIT_INTERRUPTED;
}

/* The index of --answer among the question's times. Returns 0, or complains and returns
 * EXIT_FAILED. */
static int find_answer(const struct book *book, const struct question *question, size_t *index) {
    struct bytes answer = bytes_of_text(book->config.answer);
    for (size_t i = 0; i < question->time_count; i++)
        if (bytes_equal(question->times[i], answer)) {
            *index = i;
            return 0;
        }
    struct buffer text = buffer_new(SIZE_MAX);
    buffer_append(&text, answer);
    buffer_append_text(&text, " is not among the choices:");
    for (size_t i = 0; i < question->time_count; i++) {
        buffer_append_text(&text, i == 0 ? " " : ", ");
        buffer_append(&text, question->times[i]);
    }
    int result = output_failure(book->config.is_json, EXIT_FAILED, buffer_bytes(&text), NULL);
    buffer_done(&text);
    return result;
}

/* Decides what to say. Returns 0, or the exit code when nothing is to be said. */
static int choose(const struct book *book, struct choice *choice) {
    const struct question *question = conversation_question(book->conversation);
    choice->end = PROMPT_CHOSEN;
    if (book->config.declines)
        choice->end = PROMPT_DECLINED;
    else if (book->config.answer != NULL)
        return find_answer(book, question, &choice->index);
    else
        choice->end = prompt_ask(&book->terminal, question, &choice->index);
    if (choice->end == PROMPT_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (choice->end == PROMPT_LEFT)
        return report_not_booked(book->config.is_json,
                                 BYTES("No answer was given, so nothing is booked."));
    return 0;
}

/* Looks whether the chosen slot is still open, and declines when it isn't. Returns 0, or the exit
 * code when the calendar can't say. */
static int look_again(struct book *book, struct choice *choice) {
    if (choice->end != PROMPT_CHOSEN)
        return 0;
    struct bytes chosen = conversation_question(book->conversation)->times[choice->index];
    buffer_append(&book->chosen, chosen);
    if (book->chosen.status != STATUS_OK)
        return report_status(book->config.is_json, ROUND_NONE, book->chosen.status);
    if (calendar_read_again(&book->calendar, book->arguments) != CALENDAR_READ)
        return output_failure(book->config.is_json, EXIT_FAILED,
                              BYTES("the calendar can't be read again, so nothing was answered"),
                              NULL);
    book->is_gone = !calendar_has(&book->calendar, chosen);
    if (book->is_gone)
        choice->end = PROMPT_DECLINED;
    return 0;
}

static int answer(struct book *book) {
    struct choice choice = {PROMPT_LEFT, 0};
    int result = choose(book, &choice);
    if (result == 0)
        result = look_again(book, &choice);
    if (result != 0)
        return result;
    struct round_request request;
    enum status status = choice.end == PROMPT_CHOSEN
                             ? conversation_answer(book->conversation, choice.index, &request)
                             : conversation_decline(book->conversation, &request);
    return status == STATUS_OK ? exchange(book, &request)
                               : report_status(book->config.is_json, ROUND_NONE, status);
}

/* Acts on a booking: it counts only while its slot is still open. */
static int act(struct book *book, const struct completion *completion) {
    bool is_json = book->config.is_json;
    if (calendar_read_again(&book->calendar, book->arguments) != CALENDAR_READ)
        return report_recorded(is_json, BYTES("the calendar can't be read again"));
    if (calendar_has(&book->calendar, completion->slot))
        return report_booked(is_json, completion->slot, completion->say);
    return report_taken(is_json, completion->slot, true);
}

static int conclude(struct book *book) {
    const struct problem *problem = conversation_problem(book->conversation);
    const struct completion *completion = conversation_completion(book->conversation);
    if (problem != NULL)
        return report_problem(book->config.is_json, problem, book->detail);
    if (completion->is_booked)
        return act(book, completion);
    if (book->is_gone)
        return report_taken(book->config.is_json, buffer_bytes(&book->chosen), false);
    return report_not_booked(book->config.is_json, completion->say);
}

static int converse(struct book *book) {
    struct round_request request;
    enum status status =
        conversation_start(book->conversation, book->config.salon, book->config.message,
                           book->calendar.slots, book->calendar.count, &request);
    if (status != STATUS_OK)
        return report_status(book->config.is_json, ROUND_NONE, status);
    int result = exchange(book, &request);
    if (result == 0 && conversation_phase(book->conversation) == CONVERSATION_ASKING)
        result = answer(book);
    return result == 0 ? conclude(book) : result;
}

/* Draws the key that round two carries. */
static enum status draw_key(struct conversation *conversation) {
    unsigned char bytes[KEY_SIZE];
    unsigned char key[2 * KEY_SIZE + 2];
    enum status status = random_fill(bytes, sizeof bytes);
    if (status != STATUS_OK)
        return status;
    hex_write((struct bytes){bytes, sizeof bytes}, key + 1);
    key[0] = key[sizeof key - 1] = '"';
    return conversation_use_key(conversation, (struct bytes){key, sizeof key});
}

static int make_transport(struct book *book) {
    const struct transport_config config = {
        .url = book->config.url,
        .ca_file = book->config.network.ca_file,
        .timeout = book->config.network.timeout,
        .interrupt_file = book->interrupt_file,
        .reply_size_max = ROUND_REPLY_SIZE_MAX,
    };
    const char *problem = "";
    enum status status = transport_new(&config, &book->transport, &problem);
    if (status == STATUS_INVALID) {
        complain(book->arguments,
                 "URL is the server's address alone, such as https://salon.example:8443: %s",
                 problem);
        return EXIT_USAGE;
    }
    if (status == STATUS_OK)
        status = conversation_new(&book->conversation);
    if (status == STATUS_OK)
        status = draw_key(book->conversation);
    return status == STATUS_OK ? 0 : report_status(book->config.is_json, ROUND_NONE, status);
}

static int find_person(struct book *book) {
    const struct book_config *config = &book->config;
    if (config->answer != NULL || config->declines)
        return 0;
    book->has_terminal = terminal_init(&book->terminal, config->input_is_used, config->is_json,
                                       book->interrupt_file);
    if (book->has_terminal)
        return 0;
    complain(book->arguments, "there is no terminal to ask at: give --answer or --decline");
    return EXIT_USAGE;
}

static int read_calendar(struct book *book) {
    switch (calendar_read(&book->calendar, book->arguments, book->interrupt_file)) {
    case CALENDAR_READ:
        return 0;
    case CALENDAR_UNREADABLE:
        return EXIT_USAGE;
    case CALENDAR_INTERRUPTED:
        return EXIT_INTERRUPTED;
    }
    return EXIT_FAILED;
}

/* All that comes before anything is sent. */
static int prepare(struct book *book) {
    int result = make_transport(book);
    if (result == 0)
        result = find_person(book);
    return result == 0 ? read_calendar(book) : result;
}

static int run_booking(struct book *book) {
    signal(SIGPIPE, SIG_IGN);
    book->interrupt_file = interrupt_open((const int[]){SIGINT, 0});
    if (book->interrupt_file < 0 || transport_library_init() != STATUS_OK) {
        complain(book->arguments, "can't start: %s", status_text(STATUS_IO));
        return EXIT_FAILED;
    }
    int result = prepare(book);
    if (result == 0)
        result = converse(book);
    if (book->has_terminal)
        terminal_done(&book->terminal);
    conversation_free(book->conversation);
    transport_free(book->transport);
    transport_library_done();
    calendar_done(&book->calendar);
    buffer_done(&book->chosen);
    interrupt_close(book->interrupt_file);
    return result;
}

static int run(const struct arguments *arguments) {
    struct book book = {.arguments = arguments,
                        .calendar = calendar_new(),
                        .chosen = buffer_new(CALENDAR_SIZE_MAX)};
    int result = book_config_read(arguments, &book.config);
    return result == 0 ? run_booking(&book) : result;
}

const struct command command_book = {
    .name = "book",
    .operands = "URL SALON MESSAGE",
    .summary = "book a visit, asking a person which time suits",
    .details =
        "Sends MESSAGE and the open slots to the server at URL, shows its question, and answers\n"
        "it: with a number, the time itself, d to decline, or q to leave without answering.\n\n"
        "Exit status: 0 booked; 3 not booked; 4 the slot was taken meanwhile; 1 failed; 2 wrong\n"
        "usage; 5 the visit may be booked: no clear reply came, or what came could not be used;\n"
        "130 interrupted before the answer was sent.",
    .example = "tandem book http://127.0.0.1:8080 elm-street 'A cut on Saturday, please' --slot "
               "sat-10:30 --slot sat-11:30",
    .operands_most = BOOK_OPERAND_COUNT,
    .options = book_options,
    .option_count = BOOK_OPTION_COUNT,
    .run = run,
};
