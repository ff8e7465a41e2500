/* What the program could not do. A refusal of a request is not among these: it is a value with a
 * row in refusal.h. */
#ifndef TANDEM_STATUS_H
#define TANDEM_STATUS_H

enum status {
    STATUS_OK,
    STATUS_NO_MEMORY, /* an allocation failed */
    STATUS_IO,        /* the operating system refused or failed a call */
    STATUS_BUSY,      /* somebody else holds it; trying again may work */
    STATUS_LIMIT,     /* a stated ceiling was reached */
    STATUS_INVALID,   /* the input is not what the function takes */
};

/* A short English phrase for a status, for messages to an operator. Static storage. */
const char *status_text(enum status status);

#endif
