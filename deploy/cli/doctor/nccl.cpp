#include "deploy/cli/doctor/nccl.h"

#include "common/base/format.h"
#include "deploy/cli/doctor/shared_library.h"

namespace dflash {
namespace {

Json ask_nccl() {
  Json answer = Json::object();
  if (const auto nccl = SharedLibrary::open({"libnccl.so.2"})) {
    answer["library"] = nccl->path();
    int version = 0;
    if (nccl->call("ncclGetVersion", &version) == 0) answer["version"] = version;
  }
  return answer;
}

/// nccl.h: major x 10000 + minor x 100 + patch; up to 2.8 the major number stood for thousands.
std::string version_text(int version) {
  const int unit = version < 10000 ? 1000 : 10000;
  return format("{}.{}.{}", version / unit, version % unit / 100, version % 100);
}

std::string use_text(int version, int built_version) {
  if (built_version == 0) return "pipeline.channel = nccl would be refused: this build has no NCCL";
  if (version == built_version) return "pipeline.channel = nccl can be set, with run.device = cuda";
  return format("pipeline.channel = nccl would be refused: this build is for {}", version_text(built_version));
}

}  // namespace

NcclFacts read_nccl_facts() {
  const Json answer = ask_libraries(ask_nccl);
  return {answer.value("library", ""), answer.value("version", 0), answer.value("failure", "")};
}

Finding check_nccl(const NcclFacts& facts, int built_version) {
  const char* subject = "NCCL";
  const std::string use = use_text(facts.version, built_version);
  if (!facts.failure.empty()) {
    return {Light::note, subject, "loading libnccl.so.2: " + facts.failure,
            "install NCCL anew; other channels than nccl need none"};
  }
  if (facts.library.empty()) return {Light::good, subject, "the loader finds no libnccl.so.2; " + use};
  const std::string version = facts.version > 0 ? version_text(facts.version) : "unknown version";
  return {Light::good, subject, format("{} ({}); {}", version, facts.library, use)};
}

}  // namespace dflash
