// Settings, rows and folders for tests of preparing: the tokenizer and the template of the quick start.
#pragma once

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/data/prepare/prepare_data.h"
#include "common/data/prepare/row_preparer.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {

inline std::filesystem::path test_data_folder() {
  return test::source_dir() / "tests" / "data" / "prepare";
}

/// Small shards, so that a few dozen rows fill many.
inline PrepareSettings made_settings() {
  PrepareSettings settings;
  settings.tokenizer = test::source_dir() / "deploy" / "quickstart-data" / "target";
  settings.chat_template = settings.tokenizer;
  settings.min_supervised_tokens = 2;
  settings.mask_token_id = 2047;
  settings.vocab_size = 2048;
  settings.shard_tokens = 1400;
  settings.threads = 2;
  return settings;
}

/// A row of one question and one answer.
inline std::string made_row(const std::string& question, const std::string& answer) {
  return Json{{"messages", {{{"role", "user"}, {"content", question}}, {{"role", "assistant"}, {"content", answer}}}}}
             .dump() +
         "\n";
}

/// The lines of a file of the repository.
inline std::vector<std::string> lines_of_file(const std::string& name) {
  std::vector<std::string> lines;
  std::istringstream text(read_text(test_data_folder() / name));
  for (std::string line; std::getline(text, line);) lines.push_back(line + "\n");
  return lines;
}

/// The quick start's rows in files of five, with a broken row in each.
inline std::vector<std::string> made_files(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  const std::vector<std::string> lines = lines_of_file("quickstart_chats.jsonl");
  for (size_t first = 0; first < lines.size(); first += 5) {
    std::string text;
    for (size_t i = first; i < std::min(first + 5, lines.size()); ++i) text += lines[i];
    files.push_back((folder / ("chats-" + std::to_string(100 + first) + ".jsonl")).string());
    write_text(files.back(), text + "{broken\n");
  }
  return files;
}

/// Name and content of every file in a folder.
inline std::map<std::string, std::string> contents_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    contents[entry.path().filename().string()] = read_text(entry.path());
  }
  return contents;
}

}  // namespace dflash
