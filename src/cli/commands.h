/* The subcommands, one file each; main.c only picks one. */
#ifndef TANDEM_COMMANDS_H
#define TANDEM_COMMANDS_H

#include "options.h"

extern const struct command command_serve;
extern const struct command command_keygen;
extern const struct command command_openapi;
extern const struct command command_bookings;
extern const struct command command_contract;
#ifdef TANDEM_CLIENT
extern const struct command command_book;
extern const struct command command_mcp;
#endif

#endif
