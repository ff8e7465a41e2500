/* Ctrl-C as something to wait for, so that it ends a conversation at a known point. Private to cli.
 */
#ifndef TANDEM_INTERRUPT_H
#define TANDEM_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT ends nothing: it makes the descriptor that this returns readable, for good.
 * Before other threads start. The caller closes it; -1 when it can't be had. */
int interrupt_open(void);

/* Waits until `file` can be read (or is at its end). False when the interruption came first.
 * `interrupt_file` may be -1: none comes. */
bool interrupt_wait(int interrupt_file, int file);

/* Waits for so many milliseconds. False when the interruption came first. */
bool interrupt_pause(int interrupt_file, int milliseconds);

#endif
