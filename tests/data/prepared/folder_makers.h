// Prepared folders made for a test, and what stands in a folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/data/prepared/prepared_writer.h"
#include "tests/support/temp_folder.h"

namespace dflash {

struct MadeDocument {
  std::vector<int32_t> ids;
  std::vector<uint8_t> mask;
};

/// Document d: 1 to 23 tokens, from d alone.
[[nodiscard]] inline MadeDocument made_document(int64_t d) {
  MadeDocument document;
  const int64_t length = 1 + d * 7 % 23;
  for (int64_t i = 0; i < length; ++i) {
    document.ids.push_back(static_cast<int32_t>(d * 100 + i));
    document.mask.push_back(static_cast<uint8_t>((d + i) % 3 == 0 ? 0 : 1));
  }
  return document;
}

inline const Json kMadeKey = {{"tokenizer", "0123456789abcdef"}, {"max_tokens", 64}};
inline const Json kMadeLedger = {{"rows", 50}, {"kept", 40}};
constexpr int64_t kMadeShardTokens = 100;

/// Writes documents up to `count` into the folder, from where it stands, and finishes it.
inline void make_folder(const std::filesystem::path& folder, int64_t count) {
  PreparedWriter writer(folder, kMadeKey, kMadeShardTokens);
  const auto state = writer.resume_state();
  for (int64_t d = state ? (*state)["next"].get<int64_t>() : 0; d < count; ++d) {
    const MadeDocument document = made_document(d);
    writer.add(document.ids, document.mask);
    if (writer.shard_is_full()) writer.close_shard({{"next", d + 1}});
  }
  writer.finish(kMadeLedger);
}

/// Name -> content of every file.
[[nodiscard]] inline std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[entry.path().filename().string()] = read_text(entry.path());
  }
  return files;
}

}  // namespace dflash
