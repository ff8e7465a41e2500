/* The report's inside: private to contract. */
#ifndef TANDEM_CONTRACT_REPORT_H
#define TANDEM_CONTRACT_REPORT_H

#include "consumer.h"

/* Begins the part of one more consumer. STATUS_NO_MEMORY. */
enum status report_add_consumer(struct contract_report *report, struct bytes name);

/* Adds a difference of the last consumer, unless an equal line of its name is there. `text` is what
 * follows the round, the method and the path. STATUS_LIMIT when the report is too long;
 * STATUS_NO_MEMORY. */
enum status report_add(struct contract_report *report, const struct expectation *expectation,
                       struct bytes text);

#endif
