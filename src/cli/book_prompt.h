/* Asking a person at a terminal. Private to cli. */
#ifndef TANDEM_BOOK_PROMPT_H
#define TANDEM_BOOK_PROMPT_H

#include "decoder.h"

/* Where the person is. */
struct prompt {
    int in;       /* a terminal, or -1: nobody is there */
    int out;      /* what the person sees */
    int terminal; /* opened for this and closed with it, or -1 */
    int interrupt_file;
};

enum prompt_end {
    PROMPT_CHOSEN,
    PROMPT_DECLINED,
    PROMPT_LEFT, /* without an answer: q, or the end of input */
    PROMPT_INTERRUPTED,
};

/* Finds the person: at standard input when that is a terminal, at the controlling terminal when
 * standard input was used up for something else; else there is nobody, and it returns false. The
 * question is shown on standard output, or, where that is no terminal or is wanted for something
 * else, on standard error or the controlling terminal. Followed by prompt_done when true. */
bool prompt_init(struct prompt *prompt, bool input_is_used, bool output_is_used,
                 int interrupt_file);
void prompt_done(struct prompt *prompt);

/* Shows the question and its times, with numbers, and reads lines until one is an answer. A time's
 * own text goes before its number, d and q. `choice` is written with PROMPT_CHOSEN only. */
enum prompt_end prompt_ask(const struct prompt *prompt, const struct question *question,
                           size_t *choice);

#endif
