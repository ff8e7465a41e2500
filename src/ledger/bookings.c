#include "bookings.h"

void bookings_free(struct bookings *bookings) {
    if (bookings != NULL)
        bookings->operations->free(bookings);
}

enum status bookings_list(struct bookings *bookings, const struct booking_filter *filter,
                          booking_taker *each, void *context, struct ledger_problem *problem) {
    return bookings->operations->list(bookings, filter, each, context, problem);
}

enum status bookings_cancel(struct bookings *bookings, int64_t id, int64_t now,
                            enum cancellation *out, struct ledger_problem *problem) {
    return bookings->operations->cancel(bookings, id, now, out, problem);
}

enum status bookings_backup(struct bookings *bookings, const char *file, backup_progress *progress,
                            void *context, struct ledger_problem *problem) {
    return bookings->operations->backup(bookings, file, progress, context, problem);
}

enum status bookings_forget(struct bookings *bookings, int64_t before, int64_t *forgotten,
                            struct ledger_problem *problem) {
    return bookings->operations->forget(bookings, before, forgotten, problem);
}
