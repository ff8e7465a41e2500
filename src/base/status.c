#include "status.h"

const char *status_text(enum status status) {
    switch (status) {
    case STATUS_OK:
        return "no error";
    case STATUS_NO_MEMORY:
        return "out of memory";
    case STATUS_IO:
        return "the operating system refused";
    case STATUS_BUSY:
        return "in use by somebody else";
    case STATUS_LIMIT:
        return "over a limit";
    case STATUS_INVALID:
        return "not valid";
    }
    return "unknown";
}
