#include "common/base/verdict.h"

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/json.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

fs::path file_in(const fs::path& run_folder) {
  return run_folder / kVerdictName;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string text_of(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

int64_t number_of(const Json& json, const char* key, int64_t otherwise) {
  return json.contains(key) && json[key].is_number_integer() ? json[key].get<int64_t>() : otherwise;
}

}  // namespace

void write_verdict(const fs::path& run_folder, const Verdict& verdict) {
  const Json json = {{"outcome", verdict.outcome},
                     {"exit_code", verdict.exit_code},
                     {"message", verdict.message},
                     {"who", text_or_null(verdict.who)},
                     {"stage", text_or_null(verdict.stage)},
                     {"batch", verdict.batch < 0 ? Json(nullptr) : Json(verdict.batch)},
                     {"step", verdict.step < 0 ? Json(nullptr) : Json(verdict.step)},
                     {"checkpoint", text_or_null(verdict.checkpoint)}};
  std::error_code already_there;
  fs::create_directories(run_folder, already_there);  // where it fails, so does the next line
  // A message may quote bytes of a hostile file: what is no UTF-8 is replaced, not refused.
  write_file_atomic(file_in(run_folder), json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void write_verdict_if_none(const fs::path& run_folder, const Verdict& verdict) noexcept try {
  std::error_code error;
  if (fs::is_directory(run_folder, error) && !fs::exists(file_in(run_folder), error))
    write_verdict(run_folder, verdict);
} catch (const std::exception&) {
  return;  // the exit code still says it
}

std::optional<Verdict> read_verdict(const fs::path& run_folder) try {
  const Json json = read_json_file(file_in(run_folder));
  if (!json.is_object()) return std::nullopt;
  return Verdict{.outcome = text_of(json, "outcome"),
                 .exit_code = static_cast<int>(number_of(json, "exit_code", 1)),
                 .message = text_of(json, "message"),
                 .who = text_of(json, "who"),
                 .stage = text_of(json, "stage"),
                 .batch = number_of(json, "batch", -1),
                 .step = number_of(json, "step", -1),
                 .checkpoint = text_of(json, "checkpoint")};
} catch (const Error&) {
  return std::nullopt;
}

void remove_verdict(const fs::path& run_folder) {
  std::error_code error;
  fs::remove(file_in(run_folder), error);
  if (error) throw_write_error(error.value(), "cannot remove " + file_in(run_folder).string());
}

}  // namespace dflash
