#include "deploy/cli/doctor/disk.h"

#include <unistd.h>

#include "common/base/bytes_text.h"
#include "common/base/format.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kFullBytes = int64_t{64} << 20;    // hardly enough for the logs of a run
constexpr int64_t kLittleBytes = int64_t{16} << 30;  // one checkpoint of a drafter of a billion parameters: 14 GB

}  // namespace

DiskFacts read_disk_facts(const fs::path& run_dir) {
  std::error_code error;
  const fs::path start = run_dir.is_absolute() ? "/" : fs::current_path(error);
  if (error) return {.failure = format("the working directory: {}", error.message())};
  DiskFacts facts{.folder = (start / run_dir).lexically_normal()};
  if (!facts.folder.has_filename()) facts.folder = facts.folder.parent_path();  // "runs/" and "runs/." are "runs"
  while (!fs::exists(facts.folder, error) && facts.folder.has_relative_path())
    facts.folder = facts.folder.parent_path();
  facts.is_folder = fs::is_directory(facts.folder, error);
  facts.writable = access(facts.folder.c_str(), W_OK | X_OK) == 0;
  const fs::space_info space = fs::space(facts.folder, error);
  if (!error) facts.free_bytes = static_cast<int64_t>(space.available);
  return facts;
}

Finding check_disk(const DiskFacts& facts) {
  const char* subject = "disk";
  const std::string folder = facts.folder.string(),
                    found = format("{} free in {}", bytes_text(facts.free_bytes), folder);
  if (!facts.failure.empty()) {
    return {Light::bad, subject, facts.failure, "change to a folder that is there (cd), or name one in full: --dir"};
  }
  if (!facts.is_folder) return {Light::bad, subject, folder + " is a file", "name a folder: --dir, run.dir"};
  if (!facts.writable) {
    return {Light::bad, subject, folder + " cannot be written to", "choose another run.dir, or its owner"};
  }
  if (facts.free_bytes < kFullBytes) return {Light::bad, subject, found, "make room, or choose another run.dir"};
  if (facts.free_bytes >= kLittleBytes) return {Light::good, subject, found};
  return {Light::note, subject, found, "what a run's checkpoints take: dflash train run.toml --dry-run"};
}

}  // namespace dflash
