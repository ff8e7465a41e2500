/* Ctrl-C, and the signals that mean the same, as something to wait for, so that they end a
 * conversation at a known point. Private to cli. */
#ifndef TANDEM_INTERRUPT_H
#define TANDEM_INTERRUPT_H

#include <stdbool.h>

/* From now on these signals (a list that 0 ends) end nothing: each makes the descriptor that this
 * returns readable, for good. Left out is one that is ignored, as nohup has SIGHUP, but SIGINT:
 * shells ignore that for what they start in the background, and who sends it there means it. Before
 * other threads start. Released with interrupt_close; -1 when it can't be had. */
int interrupt_open(const int *signals);

/* From now on they end the program again; one that came already is forgotten. */
void interrupt_close(int interrupt_file);

/* The exit code of a program that such a signal ends: 128 and the signal's number. */
int interrupt_exit_code(void);

/* Waits until `file` can be read (or is at its end). False when the interruption came first.
 * `interrupt_file` may be -1: none comes. */
bool interrupt_wait(int interrupt_file, int file);

/* Waits for so many milliseconds. False when the interruption came first. */
bool interrupt_pause(int interrupt_file, int milliseconds);

#endif
