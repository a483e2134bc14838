# Whether the CUDA back-end and NCCL are built: WITH_CUDA and WITH_NCCL, each AUTO (when found), ON (else the configuration stops), OFF.
#
#   dflash::cudart   the run-time library and its headers (shared: torch loads the same file, so a process has one)
#   dflash::nccl     NCCL, by full path: an older copy on some search path must not win
#
# Looked for in this order: CUDACXX, nvcc on the PATH, CUDA_HOME, what deploy/setup --cuda brought into build/venv. libcuda, the driver's
# library, is never linked: programs start without it.

set(WITH_CUDA AUTO CACHE STRING "the CUDA back-end: AUTO (when nvcc is found), ON, OFF")
set(WITH_NCCL AUTO CACHE STRING "NCCL between GPUs: AUTO (when WITH_CUDA, and nccl.h and libnccl.so.2 are found), ON, OFF")
set_property(CACHE WITH_CUDA WITH_NCCL PROPERTY STRINGS AUTO ON OFF)
foreach(option WITH_CUDA WITH_NCCL)
  if(NOT ${option} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "${option}=${${option}}: expected AUTO, ON or OFF")
  endif()
endforeach()
if(WITH_NCCL STREQUAL ON AND WITH_CUDA STREQUAL OFF)
  message(FATAL_ERROR "WITH_NCCL=ON needs WITH_CUDA, which is OFF: set it to ON or AUTO, or WITH_NCCL to OFF")
endif()

# Stops when it was asked for (NCCL is nothing without CUDA), else says why it is left out.
function(_dflash_leave_out option why)
  if(${option} STREQUAL ON OR WITH_NCCL STREQUAL ON)
    message(FATAL_ERROR "WITH_CUDA=${WITH_CUDA}, WITH_NCCL=${WITH_NCCL}, but ${why}: run deploy/setup --cuda, or set CUDA_HOME to a CUDA 13 toolkit, or leave it AUTO or OFF")
  endif()
  message(STATUS "${option}: off (${why})")
endfunction()

set(DFLASH_CUDA OFF)  # what came of it, for the rest of the build
set(DFLASH_NCCL OFF)
if(WITH_CUDA STREQUAL OFF)
  return()
endif()

file(GLOB venv_cuda "${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/site-packages/nvidia/cu13")
find_program(DFLASH_NVCC NAMES "$ENV{CUDACXX}" nvcc HINTS ENV CUDA_HOME PATHS ${venv_cuda} /usr/local/cuda PATH_SUFFIXES bin)
if(NOT DFLASH_NVCC)
  _dflash_leave_out(WITH_CUDA "there is no nvcc")
  return()
endif()
# nvcc on the PATH may be a script that calls another one: only nvcc knows where its toolkit lies.
execute_process(COMMAND "${DFLASH_NVCC}" --dryrun -c x.cu OUTPUT_VARIABLE dryrun ERROR_VARIABLE dryrun)
if(NOT dryrun MATCHES "TOP=([^\n]+)")
  _dflash_leave_out(WITH_CUDA "${DFLASH_NVCC} does not say where its toolkit lies (nvcc --dryrun)")
  return()
endif()
file(REAL_PATH "${CMAKE_MATCH_1}" cuda_root)
find_path(DFLASH_CUDART_INCLUDE cuda_runtime_api.h HINTS "${cuda_root}/include" NO_DEFAULT_PATH)
find_library(DFLASH_CUDART_LIBRARY NAMES libcudart.so.13 HINTS "${cuda_root}/lib" "${cuda_root}/lib64" NO_DEFAULT_PATH)
if(NOT DFLASH_CUDART_INCLUDE OR NOT DFLASH_CUDART_LIBRARY)
  _dflash_leave_out(WITH_CUDA "${cuda_root} holds no cuda_runtime_api.h or no libcudart.so.13")
  return()
endif()

# The kinds of GPU that code is made for: A100, H100 and H200, and what comes later (from PTX, at the first start).
set(CMAKE_CUDA_ARCHITECTURES 80-real 90a-real 100-virtual)
set(CMAKE_CUDA_COMPILER "${cuda_root}/bin/nvcc")
set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
if(CCACHE)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
enable_language(CUDA)
set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # dflash::cudart is linked by name
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
if(CMAKE_VERSION VERSION_LESS 3.26)  # which does not know that nvcc has C++20
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()

add_library(dflash::cudart SHARED IMPORTED)
set_target_properties(dflash::cudart PROPERTIES
  IMPORTED_LOCATION "${DFLASH_CUDART_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${DFLASH_CUDART_INCLUDE}")
set(DFLASH_CUDA ON)
message(STATUS "WITH_CUDA: on (${cuda_root})")

if(WITH_NCCL STREQUAL OFF)
  return()
endif()
cmake_path(GET cuda_root PARENT_PATH beside)  # the NCCL wheel has a folder of its own
find_path(DFLASH_NCCL_INCLUDE nccl.h HINTS ENV NCCL_HOME "${cuda_root}" "${beside}/nccl" PATH_SUFFIXES include)
find_library(DFLASH_NCCL_LIBRARY NAMES libnccl.so.2 HINTS ENV NCCL_HOME "${cuda_root}" "${beside}/nccl" PATH_SUFFIXES lib lib64)
if(NOT DFLASH_NCCL_INCLUDE OR NOT DFLASH_NCCL_LIBRARY)
  _dflash_leave_out(WITH_NCCL "nccl.h or libnccl.so.2 is not there")
  return()
endif()
add_library(dflash::nccl SHARED IMPORTED)
set_target_properties(dflash::nccl PROPERTIES
  IMPORTED_LOCATION "${DFLASH_NCCL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${DFLASH_NCCL_INCLUDE}")
set(DFLASH_NCCL ON)
message(STATUS "WITH_NCCL: on (${DFLASH_NCCL_LIBRARY})")
