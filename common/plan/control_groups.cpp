#include "common/plan/control_groups.h"

#include <fstream>
#include <string>

namespace dflash {
namespace {

namespace fs = std::filesystem;

/// This process's group below /sys/fs/cgroup (version 2: the line "0::/path"); empty for the root or none.
fs::path own_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::/")) return fs::path(line.substr(4));
  }
  return {};
}

}  // namespace

std::vector<fs::path> own_control_groups() {
  const fs::path root = "/sys/fs/cgroup";
  std::vector<fs::path> groups;
  for (fs::path group = own_group(); !group.empty(); group = group.parent_path()) groups.push_back(root / group);
  groups.push_back(root);
  return groups;
}

}  // namespace dflash
