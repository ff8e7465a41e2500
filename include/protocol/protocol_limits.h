/* Every ceiling of the protocol (protocol.md, section 2), in one table. Sizes are in bytes. */
#ifndef TANDEM_PROTOCOL_LIMITS_H
#define TANDEM_PROTOCOL_LIMITS_H

enum {
    SALON_SIZE_MAX = 256, /* and at least 1 */
    SLOT_SIZE_MAX = 256,  /* a slot may be empty; also a time named in an answer */
    MESSAGE_SIZE_MAX = 8192,
    SLOT_COUNT_MAX = 500,
    JSON_DEPTH_MAX = 64, /* the root is 1 */
    TIMES_ASKED_MAX = 2, /* how many of the open slots a question offers */

    STATE_SIZE_MAX = 8192,  /* two times of 256 bytes, each up to 6 in JSON, and the rest */
    REPLY_SIZE_MAX = 65536, /* a question: that state again in JSON, and its times */

    IDEMPOTENCY_KEY_SIZE_MAX = 255, /* less the quotes around it */

    BODY_SIZE_DEFAULT = 65536, /* --max-body, and its range */
    BODY_SIZE_LEAST = 1024,
    BODY_SIZE_MOST = 16777216,

    VALID_FOR_DEFAULT = 120, /* --valid-for, in seconds, and its range */
    VALID_FOR_LEAST = 1,
    VALID_FOR_MOST = 86400,

    SIGNING_KEY_SIZE_MIN = 32, /* checked where key files are read */
};

#endif
