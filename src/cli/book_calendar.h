/* The app's calendar: the slots that are still open. Private to cli. */
#ifndef TANDEM_BOOK_CALENDAR_H
#define TANDEM_BOOK_CALENDAR_H

#include "buffer.h"
#include "options.h"

enum { CALENDAR_SIZE_MAX = 1048576 };

struct calendar {
    const char *file;    /* what is read again, or NULL when the slots stay as they are */
    struct buffer text;  /* what the slots are borrowed from when they were read */
    struct bytes *slots; /* owned */
    size_t count;
};

enum calendar_status {
    CALENDAR_READ,
    CALENDAR_UNREADABLE,
    CALENDAR_INTERRUPTED,
};

/* An empty calendar; always followed by calendar_done. */
struct calendar calendar_new(void);
void calendar_done(struct calendar *calendar);

/* Fills an empty calendar: from the values of --slot, or from the file that --slots-from names, one
 * slot a line ("-": standard input, until it ends or `interrupt_file` becomes readable). Complains
 * when it is unreadable: not there, no regular file (it could not be read again), over
 * CALENDAR_SIZE_MAX bytes, or a slot that isn't UTF-8 or has a NUL. */
enum calendar_status calendar_read(struct calendar *calendar, const struct arguments *arguments,
                                   int interrupt_file);

/* Reads the file again, if there is one. Complains and changes nothing when it is unreadable. */
enum calendar_status calendar_read_again(struct calendar *calendar,
                                         const struct arguments *arguments);

bool calendar_has(const struct calendar *calendar, struct bytes slot);

#endif
