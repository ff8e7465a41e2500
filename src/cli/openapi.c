#include "commands.h"

#include "routes.h"

#include <stdio.h>

static int run(const struct arguments *arguments) {
    if (fwrite(openapi_document, 1, openapi_document_size, stdout) == openapi_document_size &&
        fflush(stdout) == 0)
        return 0;
    complain(arguments, "the document could not be written");
    return EXIT_FAILED;
}

const struct command command_openapi = {
    .name = "openapi",
    .operands = "",
    .summary = "print the OpenAPI document of the server",
    .example = "tandem openapi > booking.json",
    .run = run,
};
