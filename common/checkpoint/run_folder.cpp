#include "common/checkpoint/run_folder.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/json.h"
#include "common/base/verdict.h"
#include "common/checkpoint/checkpoint_names.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

/// True for a whole line that is a JSON object of a step up to `step`.
bool is_line_up_to(std::string_view line, int64_t step) {
  if (!line.ends_with('\n')) return false;
  try {
    const Json json = parse_json(line, "metrics.jsonl");
    return json.is_object() && json.contains("step") && json["step"].is_number_integer() && json["step"] <= step;
  } catch (const Error&) {
    return false;  // torn: no line of any step
  }
}

}  // namespace

bool is_new_run_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return true;
  if (!fs::is_directory(folder, error)) return false;
  const fs::directory_iterator entries(folder, error);
  return !error && std::all_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    return entry.path().filename() == kVerdictName;
  });
}

void check_run_folder(const fs::path& folder) {
  if (is_new_run_folder(folder)) return;
  throw Error(ErrorKind::config,
              format("run folder {} exists and is not empty; go on with it by --resume, choose another run.dir, or "
                     "remove it",
                     folder.string()));
}

std::vector<fs::path> remove_unfinished_files(const fs::path& folder) {
  std::vector<fs::path> removed;
  for (const std::string& name : names_in(folder)) {
    std::error_code unreadable;
    if (!is_temporary_name(name) || !fs::is_regular_file(fs::symlink_status(folder / name, unreadable))) continue;
    removed.push_back(folder / name);
    remove_folder(removed.back());
  }
  return removed;
}

void cut_metrics(const fs::path& file, int64_t step) {
  std::error_code error;
  if (!fs::exists(file, error)) return;
  const MappedFile before(file);
  std::string kept;
  for (std::string_view rest = before.text(); !rest.empty();) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    if (is_line_up_to(line, step)) kept += line;
    rest.remove_prefix(line.size());
  }
  if (kept != before.text()) write_file_atomic(file, kept);
}

}  // namespace dflash
