/* What every test includes: cmocka with its prerequisites. */
#ifndef TANDEM_TEST_SUPPORT_H
#define TANDEM_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
