/* The contract between a provider and its consumers (protocol.md, section 6): does the provider's
 * OpenAPI 3.0 document still keep what a consumer's copy relies on? Pure: bytes in, lines out. It
 * must not know of files, sockets, bookings or this product's own document.
 *
 * What the comparison means
 *
 * - A schema is the set of its branches: one for every way to choose from its `oneOf` and `anyOf`,
 *   with everything under `allOf` and behind `$ref` taken along, and one more for null where it is
 *   `nullable`. A branch whose types or values exclude each other is none. A schema that comes back
 *   to itself through a choice adds no branch, through `allOf` no demand.
 * - A branch has a property that it declares, that it requires, or that a schema under
 *   `additionalProperties` describes; `additionalProperties` that is true, empty or absent promises
 *   nothing. `writeOnly` properties are not sent, `readOnly` ones not read and not required.
 * - A field that is read must be in one branch at the least. Its types and its values are those of
 *   all the branches that have it. Without `type` the type is that of its values, else `object`.
 *   Values are limited by `enum`, by `const`, and by the types boolean and null.
 * - Under `when` only the branches that can carry all its values count (an object that says
 *   nothing of its properties can carry any). In each of them the field must be required at every
 *   step, in objects that can be nothing else; items of an array may be none. A value of `when`
 *   that no branch can carry is a difference by itself (the consumer handles what isn't sent), and
 *   then of the fields read only those that nobody sends are differences too.
 * - A field that is sent must be in one branch at the least; a sent value must be taken by one.
 *   What is required is looked for where something is sent or required, once for the fields and
 *   once for every sent value. Of several branches, those that read every sent field count, or all
 *   when none does; one of which nothing is missing will do, else what is missing from any of them
 *   is named.
 * - Only JSON bodies count. Where a body has several JSON types, the field must be in each of them.
 * - What this reading doesn't know (`not`, `pattern`, lengths, ranges, `discriminator`, `if`) is
 *   taken as if it allowed everything. Of replies that reports too much rather than too little (but
 *   for a `not` or a count of none that rules out a field which is read); a request that a new
 *   `pattern` or length refuses passes, and is for a test to find. So is one that a new `security`
 *   or another of the `servers` refuses: they are not looked at.
 *
 * So a doubt is reported rather than passed over. Every nesting and every count has a ceiling; what
 * goes over one is not compared, and says so.
 *
 * No function here keeps anything between calls. A provider, a consumer and a report are for one
 * thread at a time. */
#ifndef TANDEM_CONTRACT_H
#define TANDEM_CONTRACT_H

#include "buffer.h"
#include "bytes.h"
#include "status.h"

enum {
    CONTRACT_PROVIDER_SIZE_MAX = 16 << 20, /* bytes of a provider's document */
    CONTRACT_CONSUMER_SIZE_MAX = 1 << 20,  /* bytes of a consumer's copy */
    CONTRACT_REPORT_SIZE_MAX = 16 << 20,   /* bytes of the lines of one report */
};

/* Why a text is no readable contract, and where: a line and a column, or a field. */
struct contract_problem {
    char text[512]; /* UTF-8 without control characters, ended by NUL */
};

struct contract_provider;
struct contract_consumer;
struct contract_report;

/* Reads a provider's document. STATUS_OK and a provider, released with contract_provider_free;
 * STATUS_INVALID or STATUS_LIMIT and a problem; STATUS_NO_MEMORY. The text is not kept. */
enum status contract_provider_read(struct bytes text, struct contract_provider **out,
                                   struct contract_problem *problem);
void contract_provider_free(struct contract_provider *provider);

/* The same for a consumer's copy. Members that section 6 doesn't name are a problem. */
enum status contract_consumer_read(struct bytes text, struct contract_consumer **out,
                                   struct contract_problem *problem);
void contract_consumer_free(struct contract_consumer *consumer);

/* An empty report, released with contract_report_free. STATUS_NO_MEMORY. */
enum status contract_report_new(struct contract_report **out);
void contract_report_free(struct contract_report *report);

/* Adds what one consumer finds different to the report, which borrows nothing of either.
 * STATUS_INVALID (a `$ref` that only leads back to itself) or STATUS_LIMIT and a problem, which is
 * the provider's; STATUS_NO_MEMORY. The report is then of no use but to be freed. */
enum status contract_compare(const struct contract_provider *provider,
                             const struct contract_consumer *consumer,
                             struct contract_report *report, struct contract_problem *problem);

/* The number of differences so far: equal lines of one consumer count once. */
size_t contract_report_count(const struct contract_report *report);

/* The report as lines that end in a newline: the differences of each consumer, preceded by its name
 * when there are several, or that there are none. A failure is the buffer's. */
void contract_report_write_text(const struct contract_report *report, struct buffer *out);

/* The report as one JSON array and a newline. A difference is an object of strings: `consumer`,
 * `round`, `method` (in capitals), `path`, and the `line` without the consumer's name. */
void contract_report_write_json(const struct contract_report *report, struct buffer *out);

#endif
