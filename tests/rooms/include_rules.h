// Who may include what: the order of the rooms, the walls between programs, and the one owner of each foreign header.
//
//   Rooms rooms = read_rooms(".../common/cmake/rooms.txt");
//   include_violations(rooms, "common/data/x.cpp", text)  ->  one line per forbidden #include, empty when all is well
//
// Paths are relative to the root of the repository. System and standard headers are free.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dflash {

struct Room {
  std::string name;
  bool torch = false;
};
using Rooms = std::vector<Room>;  // as in rooms.txt: a room may use those before it

Rooms read_rooms(const std::filesystem::path& rooms_txt);

// The room ("data"), the program ("coordinator", "deploy/cli") or "cmake" that a file belongs to; "" for none of them.
std::string part_of(std::string_view path);

std::vector<std::string> include_violations(const Rooms& rooms, std::string_view path, const std::string& text);

}  // namespace dflash
