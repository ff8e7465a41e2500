#include "childprocess.h"
#include "mcp_drive.h"
#include "output.h"

#include <string.h>
#include <sys/wait.h>

enum {
    PROBE_PATIENCE = 3000, /* milliseconds; MCP's older servers leave what they don't know */
    GRACE = 1000,
    ERROR_LINE_SIZE_MAX = 8192,
};

/* A command that is talked to. */
struct dialogue {
    struct mcp *mcp;
    struct childprocess *child;
    struct buffer error_line; /* of the command's standard error, not ended yet */
    int64_t deadline;
    bool is_gone; /* it ended by itself */
};

static void print_error_line(struct dialogue *dialogue) {
    output_line(stderr, buffer_bytes(&dialogue->error_line));
    buffer_clear(&dialogue->error_line);
}

/* Passes on what the command says on its standard error, line by line and safe for a terminal. */
static void take_error_output(void *context, struct bytes piece) {
    struct dialogue *dialogue = context;
    while (piece.size > 0) {
        size_t room = ERROR_LINE_SIZE_MAX - dialogue->error_line.size;
        size_t size = bytes_find(bytes_up_to(piece, room), '\n');
        buffer_append(&dialogue->error_line, bytes_up_to(piece, size));
        bool is_ended = size < piece.size && size < room;
        piece = bytes_from(piece, is_ended ? size + 1 : size);
        if (is_ended || dialogue->error_line.size == ERROR_LINE_SIZE_MAX)
            print_error_line(dialogue);
    }
}

static void extend(struct dialogue *dialogue, bool is_probe) {
    int64_t patience = dialogue->mcp->config.network.timeout;
    if (is_probe && patience > PROBE_PATIENCE)
        patience = PROBE_PATIENCE;
    dialogue->deadline = drive_now() + patience;
}

static enum status send(struct dialogue *dialogue) {
    struct session *session = dialogue->mcp->session;
    struct session_outgoing outgoing = session_outgoing(session);
    enum status status = childprocess_send(dialogue->child, outgoing.body);
    extend(dialogue, outgoing.is_probe && outgoing.is_request);
    return status == STATUS_OK ? session_sent(session) : status;
}

/* Takes a line, and when it was the reply all that was read with it. */
static enum status take_line(struct dialogue *dialogue, struct bytes line) {
    struct session *session = dialogue->mcp->session;
    bool is_enough = false;
    enum status status = session_take(session, &line, &is_enough);
    if (status != STATUS_OK || !is_enough)
        return status;
    while (status == STATUS_OK && childprocess_next(dialogue->child, &line))
        status = session_take(session, &line, &is_enough);
    return status == STATUS_OK ? session_take_end(session, SESSION_END_WHOLE, true) : status;
}

/* Waits for what comes, and takes it. Returns 0 or the exit code. */
static int read_on(struct dialogue *dialogue) {
    struct session *session = dialogue->mcp->session;
    struct bytes line = BYTES("");
    enum status status = STATUS_OK;
    int64_t left = dialogue->deadline - drive_now();
    switch (childprocess_wait(dialogue->child, left > 0 ? left : 0, &line)) {
    case CHILDPROCESS_LINE:
        status = take_line(dialogue, line);
        break;
    case CHILDPROCESS_ENDED:
        dialogue->is_gone = true;
        status = session_take_end(session, SESSION_END_NONE, true);
        break;
    case CHILDPROCESS_TIMEOUT:
        status = session_take_end(session, SESSION_END_TIMEOUT, true);
        break;
    case CHILDPROCESS_TOO_LONG:
        status = session_take_end(session, SESSION_END_TOO_LONG, true);
        break;
    case CHILDPROCESS_INTERRUPTED:
        return drive_interrupted(dialogue->mcp);
    }
    return status == STATUS_OK ? 0 : drive_status(dialogue->mcp, status);
}

static int drive(struct dialogue *dialogue) {
    struct mcp *mcp = dialogue->mcp;
    for (;;) {
        int result = 0;
        enum status status = STATUS_OK;
        switch (session_want(mcp->session)) {
        case SESSION_SEND:
            status = send(dialogue);
            break;
        case SESSION_READ:
            result = read_on(dialogue);
            break;
        case SESSION_ASK:
            result = drive_answer(mcp);
            extend(dialogue, false);
            break;
        case SESSION_DONE:
        case SESSION_FAILED:
            return 0;
        }
        if (status != STATUS_OK)
            result = drive_status(mcp, status);
        if (result != 0)
            return result;
    }
}

/* How a command that went away by itself ended. */
static void note_end(struct mcp *mcp, int status) {
    if (mcp->detail.size > 0 || !(WIFEXITED(status) || WIFSIGNALED(status)))
        return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    buffer_append_text(&mcp->detail, WIFEXITED(status) ? "the command exited with "
                                                       : "the command was ended by signal ");
    buffer_append_integer(&mcp->detail, WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static int fail_to_start(const struct mcp *mcp, enum status status, int error) {
    if (status != STATUS_IO)
        return drive_status(mcp, status);
    struct buffer text = buffer_new(ERROR_LINE_SIZE_MAX);
    buffer_append_text(&text, mcp->config.words[0]);
    buffer_append_text(&text, " can't be started: ");
    buffer_append_text(&text, strerror(error));
    int result = output_failure(mcp->config.is_json, EXIT_FAILED, buffer_bytes(&text), NULL);
    buffer_done(&text);
    return result;
}

int drive_stdio(struct mcp *mcp) {
    struct dialogue dialogue = {.mcp = mcp, .error_line = buffer_new(ERROR_LINE_SIZE_MAX)};
    const struct childprocess_config config = {
        .words = mcp->config.words,
        .interrupt_file = mcp->interrupt_file,
        .line_size_max = SESSION_REPLY_SIZE_MAX,
        .on_error_output = take_error_output,
        .context = &dialogue,
    };
    int error = 0;
    enum status status = childprocess_start(&config, &dialogue.child, &error);
    if (status != STATUS_OK)
        return fail_to_start(mcp, status, error);
    int result = drive(&dialogue);
    int end = childprocess_end(dialogue.child, GRACE);
    if (dialogue.error_line.size > 0)
        print_error_line(&dialogue);
    if (dialogue.is_gone)
        note_end(mcp, end);
    buffer_done(&dialogue.error_line);
    return result;
}
