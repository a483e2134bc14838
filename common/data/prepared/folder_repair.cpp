#include "common/data/prepared/folder_repair.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/data/prepared/prepared_index.h"
#include "common/data/prepared/shard_file.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostShownBytes = 120;

/// The number of "shard-000012.tokens" or "shard-000012.json".
std::optional<int64_t> shard_number(const std::string& name) {
  constexpr std::string_view kBegin = "shard-";
  if (!name.starts_with(kBegin)) return std::nullopt;
  int64_t number = -1;
  std::from_chars(name.data() + kBegin.size(), name.data() + name.size(), number);
  if (name != shard_name(number) && name != shard_state_name(number)) return std::nullopt;
  return number;
}

/// Of a writer's files alone: another program's stay.
bool is_left_half_written(const std::string& name) {
  if (!is_temporary_name(name)) return false;
  const std::string whole = name.substr(0, name.rfind('.', name.size() - sizeof(".tmp")));
  return whole == kPreparedName || whole == kPreparingName || shard_number(whole).has_value();
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) throw_write_error(error.value(), format("cannot list {}", folder.string()));
  std::ranges::sort(names);
  return names;
}

void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) throw_write_error(error.value(), format("cannot remove {}", path.string()));
}

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw Error(ErrorKind::config, format("{}: {}; name another folder, or remove this one", folder.string(), why));
}

std::string shown(const Json* value) {
  return value == nullptr ? "not there" : json_line(*value, kMostShownBytes);
}

const Json* value_of(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

/// The first setting in which the keys differ, in words.
std::string difference(const Json& before, const Json& now) {
  if (!before.is_object() || !now.is_object())
    return format("they were {} and are {} now", shown(&before), shown(&now));
  for (const Json* keys : {&before, &now}) {
    for (const auto& item : keys->items()) {
      const Json *old_value = value_of(before, item.key()), *new_value = value_of(now, item.key());
      if (old_value == nullptr || new_value == nullptr || *old_value != *new_value) {
        return format("{} was {} and is {} now", json_line(item.key(), kMostShownBytes), shown(old_value),
                      shown(new_value));
      }
    }
  }
  return "they stand in another order";  // of the same settings
}

void remove_states(const fs::path& folder) {
  for (const std::string& name : names_in(folder)) {
    const std::optional<int64_t> number = shard_number(name);
    if (number && name == shard_state_name(*number)) remove_file(folder / name);
  }
}

/// As the key comes back from its file: what is no UTF-8 in it was replaced.
Json as_written(const Json& key) {
  return Json::parse(key.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void claim_prepared_folder(const fs::path& folder, const Json& key) {
  std::vector<std::string> names = names_in(folder);
  if (std::ranges::find(names, kPreparedName) != names.end()) refuse(folder, "it holds prepared data already");
  for (const std::string& name : names) {
    if (is_left_half_written(name)) remove_file(folder / name);
  }
  std::erase_if(names, is_left_half_written);
  if (names.empty()) {
    write_preparing_key(folder, key);
    return;
  }
  if (std::ranges::find(names, kPreparingName) == names.end()) {
    refuse(folder, format("it is not empty ({}), and not of data being prepared", one_line(names.front())));
  }
  const Json before = read_preparing_key(folder), now = as_written(key);
  if (before != now) {
    refuse(folder, format("data of other settings is being prepared in it: {}", difference(before, now)));
  }
}

WholeShards read_whole_shards(const fs::path& folder) {
  WholeShards whole;
  for (int64_t number = 0; fs::exists(folder / shard_state_name(number)); ++number) {
    ShardState saved = read_shard_state(folder, number);
    whole.facts.push_back(ShardFile(folder / shard_name(number), saved.facts).facts());
    whole.state = std::move(saved.state);
  }
  return whole;
}

void remove_shards_from(const fs::path& folder, int64_t first) {
  for (const std::string& name : names_in(folder)) {
    if (shard_number(name).value_or(-1) >= first) remove_file(folder / name);
  }
}

void remove_preparing_files(const fs::path& folder) {
  remove_states(folder);
  remove_file(folder / kPreparingName);  // last: while it is there, so may be states
  sync_folder(folder);
}

void clear_prepared_folder(const fs::path& folder, const Json& key) {
  remove_states(folder);             // first: no shard of another key may be taken for one of this
  write_preparing_key(folder, key);  // shards without it would be nobody's
  remove_file(folder / kPreparedName);
  remove_shards_from(folder, 0);
  sync_folder(folder);
}

}  // namespace dflash
