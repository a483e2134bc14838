#include "tests/rooms/include_rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <regex>
#include <span>
#include <sstream>
#include <stdexcept>

namespace dflash {
namespace {

using Names = std::vector<std::string_view>;

const Names kPrograms = {"coordinator", "target_worker",    "drafter_worker",
                         "deploy/cli",  "deploy/model_cli", "deploy/parquet"};
const Names kTorchPrograms = {"target_worker", "drafter_worker", "deploy/model_cli"};
const Names kProtoUsers = {"config",         "mpi",        "checkpoint",      "plan", "coordinator", "target_worker",
                           "drafter_worker", "deploy/cli", "deploy/model_cli"};

// The one file that joins two programs into one process.
constexpr std::string_view kDrafterAlone = "drafter_worker/replay_alone.cpp";

struct ForeignHeader {
  std::string_view begin;  // of the name between the brackets
  Names owners;
  bool in_headers;  // whether a header of the owner may include it
};
const std::vector<ForeignHeader> kForeignHeaders = {
    {"spdlog/", {"base"}, false},
    {"xxh", {"base"}, false},
    {"fmt/", {"base"}, true},
    {"nlohmann/", {"base"}, true},
    {"toml++/", {"config"}, true},
    {"mpi.h", {"mpi"}, false},
    {"nccl", {"nccl"}, false},
    {"cuda", {"device", "nccl"}, false},
    {"simdjson", {"data", "text"}, false},
    {"oniguruma", {"text"}, false},
    {"utf8proc", {"text"}, false},
    {"arrow/", {"deploy/parquet"}, true},
    {"parquet/", {"deploy/parquet"}, false},
    {"zlib", {"data"}, false},
    {"zstd", {"data"}, false},
    {"CLI/", {"deploy/cli", "deploy/model_cli", "target_worker", "drafter_worker"}, true},
    {"google/protobuf/", kProtoUsers, true},
};

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<std::size_t> position_of(const Rooms& rooms, std::string_view name) {
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    if (rooms[i].name == name) return i;
  }
  return std::nullopt;
}

bool sees_torch(const Rooms& rooms, std::string_view part) {
  const auto position = position_of(rooms, part);
  return position ? rooms[*position].torch : part == "cmake" || contains(kTorchPrograms, part);
}

// Why the file `path` may not include our own header `included`; "" when it may.
std::string quoted_problem(const Rooms& rooms, std::string_view path, std::string_view included) {
  const std::string part = part_of(path);
  if (included.starts_with("proto/"))
    return contains(kProtoUsers, part) ? "" : "this part takes plain structs, no protobuf";
  const std::string other = part_of(included);
  if (other.empty()) return "not a path from the root of the repository";
  if (other == part) return "";
  if (path == kDrafterAlone && other == "coordinator") return "";
  if (contains(kPrograms, other)) return "programs never include each other, and rooms never a program";
  const auto wanted = position_of(rooms, other);
  if (!wanted) return "no such room in rooms.txt";
  const auto own = position_of(rooms, part);
  if (own && *wanted > *own) return "rooms.txt puts that room below this one";
  if (rooms[*wanted].torch && !sees_torch(rooms, part)) return "this part does not see LibTorch";
  return "";
}

std::string bracket_problem(const Rooms& rooms, std::string_view part, bool is_header, std::string_view included) {
  for (const std::string_view torch : {"torch/", "ATen/", "c10/"}) {
    if (included.starts_with(torch) && !sees_torch(rooms, part)) return "this part does not see LibTorch";
  }
  if (included == "torch/torch.h" && is_header) return "too dear for a header: name the ATen header that is meant";
  for (const ForeignHeader& foreign : kForeignHeaders) {
    if (!included.starts_with(foreign.begin)) continue;
    if (!contains(foreign.owners, part)) return "belongs to " + std::string(foreign.owners.front());
    if (is_header && !foreign.in_headers) return "stays out of headers";
  }
  return "";
}

}  // namespace

Rooms read_rooms(const std::filesystem::path& rooms_txt) {
  std::ifstream file(rooms_txt);
  Rooms rooms;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string name;
    std::string kind;
    words >> name >> kind;
    if (kind != "plain" && kind != "torch")
      throw std::runtime_error(rooms_txt.string() + ": cannot read '" + line + "'");
    rooms.push_back({name, kind == "torch"});
  }
  return rooms;
}

std::string part_of(std::string_view path) {
  if (path.starts_with("common/")) {
    const std::string_view rest = path.substr(std::string_view("common/").size());
    return std::string(rest.substr(0, rest.find('/')));
  }
  for (const std::string_view program : kPrograms) {
    if (path.starts_with(std::string(program) + "/")) return std::string(program);
  }
  return "";
}

std::vector<std::string> include_violations(const Rooms& rooms, std::string_view path, const std::string& text) {
  static const std::regex include(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  const std::string part = part_of(path);
  std::vector<std::string> violations;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const std::string included = match[2];
    const std::string problem = match[1] == "\"" ? quoted_problem(rooms, path, included)
                                                 : bracket_problem(rooms, part, path.ends_with(".h"), included);
    if (!problem.empty()) violations.push_back(std::string(path) + " includes " + included + ": " + problem);
  }
  return violations;
}

}  // namespace dflash
