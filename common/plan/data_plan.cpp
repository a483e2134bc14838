#include "common/plan/data_plan.h"

#include <algorithm>
#include <iterator>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/prepare/data_cache.h"
#include "common/data/prepare/prepare_data.h"
#include "common/data/prepared/prepared_folder.h"
#include "common/data/prepared/prepared_index.h"
#include "common/data/prepared/prepared_writer.h"
#include "common/data/rows/row_file.h"
#include "common/text/chat_template/template_variables.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCacheFolder = "prepared-data";

/// The words of the settings are those of the tools.
std::optional<RowShape> shape_named(DataSection::ShapeChoice choice) {
  if (choice == DataSection::auto_) return std::nullopt;
  return parse_row_shape(DataSection::ShapeChoice_Name(choice));
}

fs::path cache_of(const RunConfig& config) {
  if (!config.data().cache().empty()) return config.data().cache();
  return fs::path(config.run().dir()).parent_path() / kCacheFolder;
}

std::vector<std::string> files_of(const RunConfig& config) {
  return {config.data().files().begin(), config.data().files().end()};
}

/// For a folder that dflash prepare finished. Error{input_file} for one that it has not.
bool names_prepared_folder(const std::string& word) {
  if (is_prepared_folder(word)) return true;
  std::error_code ignored;
  if (fs::exists(fs::path(word) / kPreparingName, ignored)) static_cast<void>(PreparedFolder::open(word));
  return false;
}

/// Rows that supervise the mask token would teach noise; preparing leaves them out when it knows the token. Of a folder
/// whose key says nothing of it, nothing is known.
void check_mask_token(const fs::path& folder, int64_t mask_token_id) {
  const PreparedIndex index = read_prepared_index(folder);
  const Json::json_pointer place("/settings/mask_token_id");
  if (!index.key.contains(place) || index.key[place] == mask_token_id) return;
  if (total_of(index.shards).max_id < mask_token_id) return;  // it stands in no row
  throw Error(ErrorKind::config,
              format("{}: prepared {}, so that rows may supervise the mask token of this run, drafter.mask_token_id = "
                     "{}; prepare the data with --mask-token-id {}",
                     folder.string(),
                     index.key[place].is_null() ? "without --mask-token-id"
                                                : format("with --mask-token-id {}", index.key[place].dump()),
                     mask_token_id, mask_token_id));
}

/// What the run's documents are read from.
std::vector<std::string> sources_of(const RunConfig& config) {
  if (!config.data().prepared().empty()) return {config.data().prepared()};
  return files_of(config);
}

void check_folders(const RunConfig& config) {
  for (const std::string& source : sources_of(config)) {
    if (names_prepared_folder(source)) check_mask_token(source, config.drafter().mask_token_id());
  }
}

bool needs_no_files(const RunConfig& config) {
  return !config.data().prepared().empty() || !config.data().recorded().empty();
}

/// The first of the run's files that does not hold token ids.
std::optional<std::string> first_of_conversations(const RunConfig& config) {
  if (needs_no_files(config)) return std::nullopt;
  const auto shape = shape_named(config.data().format());
  const std::vector<std::string> files = files_of(config);
  const auto found = std::ranges::find_if(files, [&](const std::string& file) {
    return !names_prepared_folder(file) && RowFile(file, shape).shape() != RowShape::token_ids;
  });
  return found == files.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

void expand_data_files(RunConfig& config) {
  if (needs_no_files(config)) return;
  std::vector<std::string> files;
  for (const std::string& word : files_of(config)) {
    if (names_prepared_folder(word)) {
      files.push_back(word);
    } else {
      std::ranges::copy(expand_inputs({word}), std::back_inserter(files));
    }
  }
  config.mutable_data()->mutable_files()->Assign(files.begin(), files.end());
}

bool hold_conversations(const RunConfig& config) {
  return first_of_conversations(config).has_value();
}

PrepareSettings prepare_settings(const RunConfig& config, const ModelConfig& target) {
  const DataSection& data = config.data();
  const auto or_model = [&](const std::string& path) { return path.empty() ? config.target().model() : path; };
  const int32_t least = data.min_supervised_tokens();
  return {.tokenizer = or_model(data.tokenizer()),
          .chat_template = or_model(data.chat_template()),
          .model = config.target().model(),
          .template_variables =
              parse_template_variables({data.template_variables().begin(), data.template_variables().end()}),
          .supervise = parse_supervise(DataSection::SuperviseChoice_Name(data.supervise())),
          .reasoning = data.reasoning(),
          .max_tokens = data.pack_tokens(),
          .too_long = parse_too_long(DataSection::TooLongChoice_Name(data.too_long())),
          .min_supervised_tokens = least > 0 ? least : 2 * config.drafter().block_size(),
          .mask_token_id = config.drafter().mask_token_id(),
          .vocab_size = target.vocab_size,
          .shape = shape_named(data.format())};
}

std::optional<Preparing> plan_preparing(const RunConfig& config, const ModelConfig& target) {
  if (config.data().recorded().empty()) check_folders(config);
  const auto conversations = first_of_conversations(config);
  if (!conversations) return std::nullopt;
  for (const std::string& file : files_of(config)) {
    if (!is_prepared_folder(file)) continue;
    throw Error(ErrorKind::config, format("'data.files': {} is prepared already, {} holds conversations; prepare those "
                                          "by `dflash prepare`, and name both folders",
                                          file, *conversations));
  }
  Preparing preparing{files_of(config), prepare_settings(config, target), {}, {}};
  preparing.key = prepare_key(preparing.files, preparing.settings);
  preparing.folder = cache_of(config) / content_key(preparing.key);
  return preparing;
}

void prepare_run_data(RunConfig& config, const ModelConfig& target, const PrepareEvents& events) {
  const auto preparing = plan_preparing(config, target);
  if (!preparing) return;
  const PrepareOutcome outcome =
      prepare_data(preparing->files, preparing->settings, preparing->key, preparing->folder, events, FolderUse::cache);
  if (outcome.end == PrepareEnd::stopped) {
    throw Error(ErrorKind::stopped, format("a signal ended preparing; {} rows lie in {}, and the same command goes on "
                                           "behind them",
                                           outcome.stored_rows, preparing->folder.string()));
  }
  if (outcome.end == PrepareEnd::written && events.notice) events.notice(outcome.ledger.text());
  note_cache_use(preparing->folder);
  const std::string notice = cache_notice(cache_of(config));
  if (events.notice && !notice.empty()) events.notice(notice);
  config.mutable_data()->set_prepared(preparing->folder.string());
}

void refuse_conversations(const RunConfig& config) {
  const auto file = first_of_conversations(config);
  if (!file) return;
  throw Error(ErrorKind::config,
              format("'data.files': {} holds conversations, which must be prepared first: `dflash train` does it, or "
                     "`dflash prepare` and data.prepared",
                     *file));
}

Documents load_run_documents(const RunConfig& config, const RunPlan& plan, DataLedger& ledger) {
  check_folders(config);
  const std::vector<std::string> sources = sources_of(config);
  return load_documents({sources.begin(), sources.end()}, plan.target.vocab_size, plan.layout.pack_tokens, ledger);
}

}  // namespace dflash
