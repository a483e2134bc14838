#include "deploy/cli/doctor/programs.h"

#include <unistd.h>

#include "common/base/format.h"

namespace dflash {

Finding look_for_programs(const std::filesystem::path& folder) {
  std::vector<std::string> missing;
  for (const char* name : {"coordinator", "target_worker", "drafter_worker", "dflash-model"}) {
    if (access((folder / name).c_str(), X_OK) != 0) missing.emplace_back(name);
  }
  if (missing.empty()) return {Light::good, "programs", format("all beside dflash, in {}", folder.string())};
  return {Light::bad, "programs", format("not in {}: {}", folder.string(), join(missing, ", ")),
          "build them: deploy/setup, then cmake --preset release and cmake --build build/release"};
}

}  // namespace dflash
