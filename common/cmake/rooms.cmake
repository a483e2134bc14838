# dflash_room(NAME SOURCES a.cpp ... ROOMS base ... LIBS lib ...)   one library per room: dflash_NAME
# dflash_program(NAME SOURCES ... ROOMS ... [TORCH])                an executable in bin/
# dflash_test(NAME SOURCES ... ROOMS ... [LIBS ...] [RANKS n] [TIMEOUT s])   a test binary, under mpirun when RANKS is given
#
# The order of the rooms stands in rooms.txt; a room that names one below itself stops the configuration.

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/rooms.txt" room_lines REGEX "^[a-z]")
set(DFLASH_ROOMS "")
foreach(line IN LISTS room_lines)
  string(REGEX REPLACE "^([a-z]+) +([a-z]+).*$" "\\1;\\2" fields "${line}")
  list(GET fields 0 room)
  list(GET fields 1 kind)
  list(APPEND DFLASH_ROOMS ${room})
  set(DFLASH_ROOM_KIND_${room} ${kind})
endforeach()

add_library(dflash_flags INTERFACE)
target_compile_features(dflash_flags INTERFACE cxx_std_20)
target_compile_options(dflash_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow;-Werror=all-warnings>)
target_include_directories(dflash_flags INTERFACE "${PROJECT_SOURCE_DIR}")

function(_dflash_use_torch target)
  target_link_libraries(${target} PRIVATE LibTorch::cpu)
  target_precompile_headers(${target} REUSE_FROM dflash_torch_pch)
endfunction()

function(_dflash_link_rooms target)
  foreach(room IN LISTS ARGN)
    target_link_libraries(${target} PUBLIC dflash_${room})
  endforeach()
endfunction()

function(dflash_room name)
  cmake_parse_arguments(arg "" "" "SOURCES;ROOMS;LIBS" ${ARGN})
  list(FIND DFLASH_ROOMS ${name} own)
  if(own EQUAL -1)
    message(FATAL_ERROR "common/${name} does not stand in common/cmake/rooms.txt")
  endif()
  foreach(room IN LISTS arg_ROOMS)
    list(FIND DFLASH_ROOMS ${room} other)
    if(other EQUAL -1 OR NOT other LESS own)
      message(FATAL_ERROR "common/${name} may not use ${room}: rooms.txt puts it below")
    endif()
  endforeach()
  add_library(dflash_${name} STATIC ${arg_SOURCES})
  target_link_libraries(dflash_${name} PUBLIC dflash_flags ${arg_LIBS})
  _dflash_link_rooms(dflash_${name} ${arg_ROOMS})
  if(DFLASH_ROOM_KIND_${name} STREQUAL torch)
    _dflash_use_torch(dflash_${name})
  endif()
endfunction()

function(dflash_program name)
  cmake_parse_arguments(arg "TORCH" "" "SOURCES;ROOMS;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE dflash_flags ${arg_LIBS})
  _dflash_link_rooms(${name} ${arg_ROOMS})
  if(arg_TORCH)
    _dflash_use_torch(${name})
  endif()
endfunction()
