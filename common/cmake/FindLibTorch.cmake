# Finds the LibTorch that lies inside a torch wheel (or any folder that holds include/ and lib/) and defines LibTorch::cpu.
#
#   DFLASH_LIBTORCH   environment (first) or cache variable: such a folder; else build/venv, as deploy/setup makes it
#
# The shipped TorchConfig.cmake drags in CUDA detection and links what we do not use. The include folders are added with
# -idirafter, as a compile option: torch/include holds old copies of protobuf and fmt that must never win over the system's.

if(NOT "$ENV{DFLASH_LIBTORCH}" STREQUAL "")
  set(DFLASH_LIBTORCH "$ENV{DFLASH_LIBTORCH}")
endif()
set(version_header include/torch/headeronly/version.h)
if(NOT DFLASH_LIBTORCH OR (NOT EXISTS "${DFLASH_LIBTORCH}/${version_header}" AND NOT DEFINED ENV{DFLASH_LIBTORCH}))
  file(GLOB venv_torch "${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/site-packages/torch")
  list(APPEND venv_torch "")
  list(GET venv_torch 0 DFLASH_LIBTORCH)
endif()
# Remembered, so that a later configuration from a shell without the variable does not change library.
set(DFLASH_LIBTORCH "${DFLASH_LIBTORCH}" CACHE PATH "folder that holds LibTorch's include/ and lib/" FORCE)

set(version_header "${DFLASH_LIBTORCH}/${version_header}")
if(NOT EXISTS "${version_header}" OR NOT EXISTS "${DFLASH_LIBTORCH}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "LibTorch 2.11 not found in '${DFLASH_LIBTORCH}': run deploy/setup, or set DFLASH_LIBTORCH to a folder that holds include/ and lib/")
endif()
file(STRINGS "${version_header}" version_lines REGEX "define TORCH_VERSION_(MAJOR|MINOR) ")
string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1.\\2" LibTorch_VERSION "${version_lines}")
if(NOT LibTorch_VERSION VERSION_EQUAL 2.11)
  message(FATAL_ERROR "LibTorch ${LibTorch_VERSION} in '${DFLASH_LIBTORCH}': this project is built against 2.11 (one ABI on every machine)")
endif()

# libtorch_cpu.so itself needs libcudart.so.13 and libcupti.so.13: from the system, or from the wheels beside torch.
get_filename_component(site_packages "${DFLASH_LIBTORCH}/.." ABSOLUTE)
set(LibTorch_RPATH_LINK "${DFLASH_LIBTORCH}/lib" "${site_packages}/nvidia/cu13/lib")

add_library(LibTorch::cpu INTERFACE IMPORTED)
target_compile_options(LibTorch::cpu INTERFACE
  "SHELL:-idirafter ${DFLASH_LIBTORCH}/include"
  "SHELL:-idirafter ${DFLASH_LIBTORCH}/include/torch/csrc/api/include")
target_link_options(LibTorch::cpu INTERFACE "LINKER:-rpath,${DFLASH_LIBTORCH}/lib")
foreach(folder IN LISTS LibTorch_RPATH_LINK)
  target_link_options(LibTorch::cpu INTERFACE "LINKER:-rpath-link,${folder}")
endforeach()
target_link_libraries(LibTorch::cpu INTERFACE
  "${DFLASH_LIBTORCH}/lib/libtorch_cpu.so" "${DFLASH_LIBTORCH}/lib/libc10.so")
message(STATUS "LibTorch ${LibTorch_VERSION}: ${DFLASH_LIBTORCH}")
