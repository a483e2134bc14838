# cmake -DSOURCES=LIST_FILE -DOUTPUT=HEADER -DVERSION=... -P hash_sources.cmake
# Writes a header whose DFLASH_BUILD_ID names the version and the SHA-256 of all source files together: programs that were
# built from other sources must not join one run.
file(STRINGS "${SOURCES}" files)
set(all "")
foreach(file IN LISTS files)
  file(SHA256 "${file}" hash)
  string(APPEND all "${hash}")
endforeach()
string(SHA256 all "${all}")
file(WRITE "${OUTPUT}" "#pragma once\n#define DFLASH_BUILD_ID \"${VERSION} ${all}\"\n")
