#include "deploy/cli/doctor/cpu.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "common/base/format.h"

namespace dflash {
namespace {

/// The words behind "flags :" (x86) or "Features :" (ARM) of the first core.
std::set<std::string> flags_in(const std::string& cpuinfo) {
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(line.substr(std::min(line.find(':'), line.size() - 1) + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

}  // namespace

std::optional<double> cpu_quota_cores(const std::vector<std::filesystem::path>& control_groups) {
  std::optional<double> least;
  for (const auto& group : control_groups) {
    std::ifstream file(group / "cpu.max");  // "max 100000", or microseconds of each period: "150000 100000"
    double quota = 0, period = 0;
    if (file >> quota >> period && quota > 0 && period > 0)
      least = std::min(least.value_or(quota / period), quota / period);
  }
  return least;
}

Finding check_cores(int64_t cores, std::optional<double> quota_cores) {
  if (!quota_cores || *quota_cores >= static_cast<double>(cores)) {
    return {Light::good, "cores", format("{} for this process", cores)};
  }
  return {Light::note, "cores",
          format("{} for this process, but its control group allows the time of {:.1f}", cores, *quota_cores),
          "a run counts the former: set target.threads and drafter.threads, or start it with fewer cores (taskset)"};
}

Finding check_load(double running, int64_t cores) {
  const std::string found = format("{:.1f} running or waiting on {} core(s)", running, cores);
  if (running <= static_cast<double>(cores)) return {Light::good, "load", found};
  return {Light::note, "load", found, "other programs compute here: a run shares the cores with them"};
}

Finding check_vector_instructions(const std::string& cpuinfo) {
  const char* subject = "instructions";
  const std::set<std::string> flags = flags_in(cpuinfo);
  if (flags.contains("asimd")) return {Light::good, subject, "ARM NEON"};
  if (!flags.contains("avx2") || !flags.contains("fma")) {
    return {Light::note, subject, "no AVX2 in /proc/cpuinfo", "LibTorch computes several times slower without it"};
  }
  std::string found = flags.contains("avx512f") ? "AVX2, AVX-512" : "AVX2";
  const bool bfloat16 = flags.contains("avx512_bf16") || flags.contains("amx_bf16");
  if (!bfloat16) {
    return {Light::note, subject, found + ", none for bfloat16",
            "a target stored in bfloat16 computes several times slower than with target.dtype = \"float32\""};
  }
  for (const auto& [flag, name] : {std::pair{"avx512_bf16", "AVX-512 bf16"}, std::pair{"amx_bf16", "AMX bf16"}}) {
    if (flags.contains(flag)) found += format(", {}", name);
  }
  return {Light::good, subject, found};
}

}  // namespace dflash
