# Finds the Arrow and Parquet libraries that lie inside a pyarrow wheel and defines ArrowWheel::parquet. Optional: without
# them there is no dflash-parquet, and Parquet files are refused with the way to convert them.
#
#   DFLASH_ARROW   environment (first) or cache variable: the folder pyarrow; else build/venv, as deploy/setup --parquet
#                  makes it
#
# The libraries have their version in their names (libarrow.so.2600) and no development links: full paths are used.

if(NOT "$ENV{DFLASH_ARROW}" STREQUAL "")
  set(DFLASH_ARROW "$ENV{DFLASH_ARROW}")
endif()
if(NOT EXISTS "${DFLASH_ARROW}/include/arrow/api.h")
  file(GLOB venv_arrow "${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/site-packages/pyarrow")
  set(DFLASH_ARROW "no pyarrow wheel")
  if(venv_arrow)
    list(GET venv_arrow 0 DFLASH_ARROW)
  endif()
endif()
set(DFLASH_ARROW "${DFLASH_ARROW}" CACHE PATH "folder pyarrow of a pyarrow wheel" FORCE)

file(GLOB arrow_library "${DFLASH_ARROW}/libarrow.so.*")
file(GLOB parquet_library "${DFLASH_ARROW}/libparquet.so.*")
if(EXISTS "${DFLASH_ARROW}/include/parquet/arrow/reader.h" AND arrow_library AND parquet_library)
  set(ArrowWheel_FOUND TRUE)
  add_library(ArrowWheel::parquet INTERFACE IMPORTED)
  target_include_directories(ArrowWheel::parquet SYSTEM INTERFACE "${DFLASH_ARROW}/include")
  target_link_options(ArrowWheel::parquet INTERFACE "LINKER:-rpath,${DFLASH_ARROW}")
  target_link_libraries(ArrowWheel::parquet INTERFACE "${parquet_library}" "${arrow_library}")
  message(STATUS "Parquet: ${DFLASH_ARROW}")
else()
  set(ArrowWheel_FOUND FALSE)
  message(STATUS "Parquet: no pyarrow wheel, built without dflash-parquet (deploy/setup --parquet)")
endif()
