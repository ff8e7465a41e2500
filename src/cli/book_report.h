/* How a booking ends: what is printed, and the exit code. Private to cli. */
#ifndef TANDEM_BOOK_REPORT_H
#define TANDEM_BOOK_REPORT_H

#include "conversation.h"
#include "output.h"

enum { EXIT_NOT_BOOKED = 3, EXIT_TAKEN = 4 };

/* Each prints the result on standard output, as JSON when asked to, and returns the exit code: of a
 * booking that can't be printed EXIT_UNKNOWN, since any other would mean that nothing is booked. */
int report_booked(bool is_json, struct bytes slot, struct bytes say);
int report_not_booked(bool is_json, struct bytes say);

/* The slot isn't open any more. `is_recorded`: the salon's record holds the visit all the same. */
int report_taken(bool is_json, struct bytes slot, bool is_recorded);

/* The salon's record holds a visit that this client can do nothing with: prints the problem, as
 * report_problem does, and what to do. */
int report_recorded(bool is_json, struct bytes problem);

/* Prints the problem on standard error, and as JSON on standard output when asked to. `detail` is
 * why there was no reply, or NULL. */
int report_problem(bool is_json, const struct problem *problem, const char *detail);

/* The program itself could not go on, with a round under way or none. */
int report_status(bool is_json, enum round under_way, enum status status);

#endif
