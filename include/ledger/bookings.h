/* The bookings that a ledger keeps, for the salon's owner: safe beside a running server, and
 * without one. In one thread. */
#ifndef TANDEM_BOOKINGS_H
#define TANDEM_BOOKINGS_H

#include "ledger.h"

enum booking_status { BOOKING_ANY, BOOKING_BOOKED, BOOKING_CANCELLED };

/* A booking; the texts are borrowed for the call that hands it over. */
struct booking_record {
    int64_t id;
    struct bytes salon;
    struct bytes slot;
    enum booking_status status; /* never BOOKING_ANY */
    bool has_words;             /* false once they were forgotten */
    struct bytes words;
    int64_t completed_at; /* unix seconds */
};

struct booking_filter {
    const struct bytes *salon; /* NULL: every one */
    int64_t from;              /* completed at this moment or later, unix seconds */
    int64_t until;             /* and before this one */
    enum booking_status status;
};

enum cancellation { CANCELLATION_DONE, CANCELLATION_DONE_BEFORE, CANCELLATION_OF_NONE };

struct bookings;

/* Opens the bookings of a durable ledger, which must be there, by its name as in ledger_open.h. On
 * failure of this or any call below `problem` says what is wrong. */
enum status bookings_open(const char *url, struct bookings **out, struct ledger_problem *problem);
void bookings_free(struct bookings *bookings);

/* Hands over every booking that fits, in the order of their ids; `each` returns false to stop.
 * Those that are completed meanwhile may be among them or not. The file isn't held while `each`
 * runs, however long that takes. */
typedef bool booking_taker(void *context, const struct booking_record *record);
enum status bookings_list(struct bookings *bookings, const struct booking_filter *filter,
                          booking_taker *each, void *context, struct ledger_problem *problem);

/* Cancels a booking: its slot is free again; the record and the used state stay. */
enum status bookings_cancel(struct bookings *bookings, int64_t id, int64_t now,
                            enum cancellation *out, struct ledger_problem *problem);

/* Copies the whole ledger, as it is at one moment, into a new file: whole or not at all.
 * STATUS_INVALID when there is one of that name. `progress` is told of pages now and then. */
typedef void backup_progress(void *context, int done, int total);
enum status bookings_backup(struct bookings *bookings, const char *file, backup_progress *progress,
                            void *context, struct ledger_problem *problem);

/* Erases the words of bookings that were completed before this moment (unix seconds), and the
 * replies kept for states used before it, also from the file's free space. Everything else stays.
 * `forgotten` is how many bookings lost their words. */
enum status bookings_forget(struct bookings *bookings, int64_t before, int64_t *forgotten,
                            struct ledger_problem *problem);

/* What an implementation provides; it is given itself, whose first member this is. */
struct bookings_operations {
    enum status (*list)(struct bookings *bookings, const struct booking_filter *filter,
                        booking_taker *each, void *context, struct ledger_problem *problem);
    enum status (*cancel)(struct bookings *bookings, int64_t id, int64_t now,
                          enum cancellation *out, struct ledger_problem *problem);
    enum status (*backup)(struct bookings *bookings, const char *file, backup_progress *progress,
                          void *context, struct ledger_problem *problem);
    enum status (*forget)(struct bookings *bookings, int64_t before, int64_t *forgotten,
                          struct ledger_problem *problem);
    void (*free)(struct bookings *bookings);
};

struct bookings {
    const struct bookings_operations *operations;
};

#endif
