#include "common/data/prepare/held_data.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/prepare/prepare_key.h"
#include "common/data/prepared/folder_repair.h"
#include "common/data/prepared/prepared_folder.h"
#include "common/data/prepared/prepared_index.h"
#include "common/data/prepared/prepared_writer.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

/// What the data were prepared from when that is not `key`; else empty.
std::string other_origin(const Json& held, const Json& key) {
  const std::string different = key_differences(held, key);
  if (!different.empty()) return format("something else ({} differ)", different);
  return has_all_inputs(key) ? "" : "standard input or a pipe, which cannot be compared";
}

HeldData look_at_whole(const fs::path& folder, const Json& key) {
  const PreparedFolder data = PreparedFolder::open(folder);
  if (std::string origin = other_origin(data.key(), key); !origin.empty()) return {Held::other, std::move(origin), {}};
  return {Held::finished, "", PrepareLedger::from_json(data.ledger())};
}

HeldData look_at_unfinished(const fs::path& folder, const Json& key) {
  const Json held = read_preparing_key(folder);
  if (std::string origin = other_origin(held, key); !origin.empty()) return {Held::other, std::move(origin), {}};
  static_cast<void>(read_whole_shards(folder));  // none of them is damaged
  return {Held::unfinished, "", {}};
}

}  // namespace

HeldData look_into(const fs::path& folder, const Json& key) {
  std::error_code ignored;
  try {
    if (is_prepared_folder(folder)) return look_at_whole(folder, key);
    if (fs::exists(folder / kPreparingName, ignored)) return look_at_unfinished(folder, key);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input_file && error.kind() != ErrorKind::checkpoint) throw;
    return {Held::damaged, error.what(), {}};
  }
  return {};
}

}  // namespace dflash
