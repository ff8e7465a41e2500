# Run by cpack on the tree that it packs: what Debian's policy asks for and a plain install doesn't.
find_program(GZIP gzip REQUIRED)
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
execute_process(COMMAND ${GZIP} --force --best --no-name ${share}/man/man1/tandem.1 COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${share}/doc/tandem/LICENSE ${share}/doc/tandem/copyright)
file(CREATE_LINK copyright ${share}/doc/tandem/LICENSE SYMBOLIC)
