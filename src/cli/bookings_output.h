/* Lists of bookings as a table for people, JSON or CSV. Each is written row by row, and none lets a
 * customer's words do more than be read: a table escapes control characters (a terminal obeys
 * some), and CSV defuses what a spreadsheet would run. Pure. Private to cli. */
#ifndef TANDEM_BOOKINGS_OUTPUT_H
#define TANDEM_BOOKINGS_OUTPUT_H

#include "bookings.h"
#include "buffer.h"

enum bookings_format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV };

/* Reads "table", "json" or "csv". */
bool bookings_format_parse(const char *text, enum bookings_format *format);

/* What comes before the first row, a row (`index` from 0), and what comes after the last of
 * `count`.
 */
void bookings_write_head(struct buffer *out, enum bookings_format format);
void bookings_write_row(struct buffer *out, enum bookings_format format, size_t index,
                        const struct booking_record *record);
void bookings_write_end(struct buffer *out, enum bookings_format format, size_t count);

/* "booked" or "cancelled". */
const char *booking_status_name(enum booking_status status);

#endif
