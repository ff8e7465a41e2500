/* Asking a person at a terminal. Private to cli. */
#ifndef TANDEM_BOOK_PROMPT_H
#define TANDEM_BOOK_PROMPT_H

#include "decoder.h"
#include "terminal.h"

enum prompt_end {
    PROMPT_CHOSEN,
    PROMPT_DECLINED,
    PROMPT_LEFT, /* without an answer: q, or the end of input */
    PROMPT_INTERRUPTED,
};

/* Shows the question and its times, with numbers, and reads lines until one is an answer. A time's
 * own text goes before its number, d and q. `choice` is written with PROMPT_CHOSEN only. */
enum prompt_end prompt_ask(const struct terminal *terminal, const struct question *question,
                           size_t *choice);

#endif
