// What a folder holds before a preparing: looked at under the folder's lock (data/prepared/folder_lock.h), and believed
// only when it can be used.
//
// Threading: functions only.
#pragma once

#include <filesystem>
#include <string>

#include "common/data/prepare/prepare_ledger.h"

namespace dflash {

enum class Held : uint8_t {
  nothing,     ///< no prepared data: the folder is empty, or another program's
  unfinished,  ///< work of this key, to go on with
  finished,    ///< data of this key
  other,       ///< of another key, or of inputs that cannot be compared
  damaged,
};

struct HeldData {
  Held what = Held::nothing;
  std::string why;       ///< other: what it was prepared from; damaged: the file, and what is wrong with it
  PrepareLedger ledger;  ///< of finished data
};

/// Opens all shards, reads no ids. Error of files that could not be looked at for another reason than their content.
[[nodiscard]] HeldData look_into(const std::filesystem::path& folder, const Json& key);

}  // namespace dflash
