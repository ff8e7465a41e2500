/* check(NAME, condition): one check of the protocol, by name. The test build makes a mutant of each
 * by defining TANDEM_MUTANT as a name: that check then always holds, and the suite must notice. */
#ifndef TANDEM_CHECK_H
#define TANDEM_CHECK_H

#ifndef TANDEM_MUTANT
#define check(name, condition) (condition)
#else
enum check_name {
    CHECK_STATE_SPLIT,
    CHECK_STATE_MAC,
    CHECK_STATE_CLAIMS,
    CHECK_STATE_DIGEST,
    CHECK_STATE_EXPIRY,
    CHECK_ANSWER_ACTION,
    CHECK_ANSWER_TIME_TYPE,
    CHECK_ANSWER_TIME_SIZE,
    CHECK_ANSWER_PRESENT,
    CHECK_ANSWER_SHAPE,
    CHECK_ANSWER_OFFERED,
};
#define check(name, condition) ((condition) || TANDEM_MUTANT == (name))
#endif

#endif
