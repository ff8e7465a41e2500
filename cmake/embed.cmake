# Writes the bytes of INPUT to OUTPUT as a C array SYMBOL and its size SYMBOL_size.
file(READ ${INPUT} digits HEX)
string(LENGTH "${digits}" length)
math(EXPR size "${length} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${digits}")
string(REGEX REPLACE "(.....................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT}
"#include <stddef.h>
extern const unsigned char ${SYMBOL}[];
extern const size_t ${SYMBOL}_size;
const unsigned char ${SYMBOL}[] = {
${bytes}
};
const size_t ${SYMBOL}_size = ${size};
")
