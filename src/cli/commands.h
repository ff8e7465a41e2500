/* The subcommands, one file each; main.c only picks one. */
#ifndef TANDEM_COMMANDS_H
#define TANDEM_COMMANDS_H

#include "options.h"

extern const struct command command_serve;
extern const struct command command_keygen;
extern const struct command command_openapi;

/* The committed OpenAPI document, built in. */
extern const unsigned char openapi_document[];
extern const size_t openapi_document_size;

#endif
