// A run.toml in a temporary folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/config/run_config.h"
#include "tests/support/temp_folder.h"

namespace dflash {

/// The required keys; 10 lines, so that text behind it begins in line 11.
inline constexpr const char* kRequired =
    "[run]\n"
    "dir = 'out'\n"
    "\n"
    "[target]\n"
    "model = 'model'\n"
    "\n"
    "[data]\n"
    "files = ['a.jsonl', 'more/b.jsonl']\n"
    "[drafter]\n"
    "mask_token_id = 3\n";

class SettingsFile {
 public:
  explicit SettingsFile(const std::string& text) { std::ofstream(path()) << text; }

  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "run.toml"; }
  [[nodiscard]] RunConfig load(const std::vector<std::string>& overrides = {}) const {
    return load_run_config(path(), overrides);
  }

 private:
  TempFolder folder_;
};

/// The message that loading ends with, without the folder's name; empty when it loads.
inline std::string complaint(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const SettingsFile file(text);
  try {
    (void)file.load(overrides);
    return "";
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::config) return std::string("wrong kind: ") + error.what();
    std::string message = error.what();
    const std::string folder = file.folder().string() + "/";
    if (message.starts_with(folder)) message.erase(0, folder.size());
    return message;
  }
}

}  // namespace dflash
