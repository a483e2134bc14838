#include "common/plan/data_settings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/data/prepared/prepared_folder.h"
#include "common/data/prepared/prepared_index.h"
#include "common/plan/data_plan.h"

namespace dflash {
namespace {

struct PreparingSetting {
  const char* key;
  const char* place;  // in the key of a prepared folder
  bool (*is_set)(const DataSection&);
};

// A setting that stands at its default may be written out (as run.toml of a run has it) and mean nothing.
constexpr std::array<PreparingSetting, 7> kSettings{
    {{"data.supervise", "/settings/supervise", [](const DataSection& d) { return d.supervise() != d.all_turns; }},
     {"data.reasoning", "/settings/reasoning", [](const DataSection& d) { return !d.reasoning(); }},
     {"data.too_long", "/settings/too_long", [](const DataSection& d) { return d.too_long() != d.cut; }},
     {"data.min_supervised_tokens", "/settings/min_supervised_tokens",
      [](const DataSection& d) { return d.min_supervised_tokens() != 0; }},
     {"data.tokenizer", "/tokenizer", [](const DataSection& d) { return !d.tokenizer().empty(); }},
     {"data.chat_template", "/template", [](const DataSection& d) { return !d.chat_template().empty(); }},
     {"data.template_variables", "/settings/template_variables",
      [](const DataSection& d) { return !d.template_variables().empty(); }}}};

/// Whether the key of a prepared folder tells how the setting stood. Template variables stand in it when there were
/// any.
bool is_told(const Json& key, const Json::json_pointer& place) {
  return key.contains(place) || (key.contains("settings") && place.back() == "template_variables");
}

void check_prepared(const RunConfig& config, const ModelConfig& target) {
  std::optional<Json> wanted;
  const PreparedFolder folder = PreparedFolder::open(config.data().prepared());
  for (const PreparingSetting& setting : kSettings) {
    const Json::json_pointer place(setting.place);
    if (!setting.is_set(config.data()) || !is_told(folder.key(), place)) continue;
    if (!wanted) wanted = prepare_key({}, prepare_settings(config, target));
    if (folder.key().contains(place) && folder.key().at(place) == wanted->at(place)) continue;
    throw Error(ErrorKind::config, format("'{}' is not what {} was prepared with; take it out, or prepare again",
                                          setting.key, config.data().prepared()));
  }
}

}  // namespace

void check_data_settings(const RunConfig& config, const ModelConfig& target) {
  if (!config.data().recorded().empty()) return;
  if (!config.data().prepared().empty()) return check_prepared(config, target);
  const auto* const set =
      std::ranges::find_if(kSettings, [&](const PreparingSetting& setting) { return setting.is_set(config.data()); });
  if (set == kSettings.end() || hold_conversations(config)) return;
  throw Error(ErrorKind::config, format("'{}' is for conversations, but data.files hold token ids with masks of their "
                                        "own: take it out",
                                        set->key));
}

std::string tokenizer_notice(const RunConfig& config) {
  const std::filesystem::path own = tokenizer_file(config.target().model());
  if (config.data().prepared().empty() || !std::filesystem::exists(own)) return "";
  const Json key = read_prepared_index(config.data().prepared()).key;
  if (!key.is_object() || !key.contains("tokenizer")) return "";
  if (key.at("tokenizer") == hash_hex(hash_bytes(MappedFile(own).bytes()))) return "";
  return format("{} was prepared with another tokenizer.json than that of the target: are its ids the target's?",
                config.data().prepared());
}

}  // namespace dflash
