#include "common/data/prepare/prepare_data.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/data/prepare/prepared_sink.h"
#include "common/data/prepared/folder_repair.h"
#include "common/data/prepared/prepared_index.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

/// The key of the finished or unfinished work in `folder`; null when there is none.
Json key_in(const fs::path& folder) {
  std::error_code ignored;
  if (is_prepared_folder(folder)) return read_prepared_index(folder).key;
  return fs::exists(folder / kPreparingName, ignored) ? read_preparing_key(folder) : Json();
}

void remove_prepared(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / kPreparedName, ignored);
  remove_preparing_files(folder);
  remove_shards_from(folder, 0);
}

/// True when the folder is finished and of this key; else it is new, or this key's unfinished work.
bool is_finished(const fs::path& folder, const Json& key, bool overwrite) {
  const Json held = key_in(folder);
  if (held.is_null()) return false;
  const std::string different = key_differences(held, key);
  const bool comparable = has_all_inputs(key);
  if (different.empty() && comparable) return is_prepared_folder(folder);
  if (!overwrite) {
    throw Error(
        ErrorKind::config,
        format("{}: holds data that were prepared from {}; name another folder, or overwrite it", folder.string(),
               different.empty() ? "standard input or a pipe, which cannot be compared"
                                 : format("something else ({} differ)", different)));
  }
  remove_prepared(folder);
  return false;
}

PrepareOutcome existing_outcome(const fs::path& folder) {
  PrepareOutcome outcome;
  outcome.end = PrepareEnd::existed;
  outcome.ledger = PrepareLedger::from_json(read_prepared_index(folder).ledger);
  outcome.stored_rows = outcome.ledger.kept();
  return outcome;
}

/// An error is told with the ledger up to it.
bool run_to_the_end(const std::vector<std::string>& files, const PrepareSettings& settings, PreparedSink& sink,
                    const PrepareEvents& events) {
  const PrepareTexts texts = read_texts(settings);
  try {
    return run_prepare_pipeline(files, settings, texts, sink.start(), sink);
  } catch (const Error&) {
    if (events.notice && sink.ledger().rows().rows() > 0) events.notice("up to the error:\n" + sink.ledger().text());
    throw;
  }
}

void check_kept(const PrepareLedger& ledger, const PrepareEvents& events) {
  if (ledger.kept() > 0) return;
  if (events.notice) events.notice(ledger.text());
  throw Error(ErrorKind::input_file,
              format("none of {} rows can be trained on; the ledger says why", ledger.rows().rows()));
}

}  // namespace

std::string content_key(const Json& key) {
  if (!has_all_inputs(key)) {
    throw Error(ErrorKind::config,
                "standard input and pipes cannot be read twice, so that nothing tells whether they were prepared "
                "already; put them into a file");
  }
  return hash_hex(hash_text(key.dump()));
}

PrepareOutcome prepare_data(const std::vector<std::string>& files, const PrepareSettings& settings, const Json& key,
                            const fs::path& folder, const PrepareEvents& events, bool overwrite) {
  check_settings(settings);
  FolderLock lock = FolderLock::take(folder);  // before anything in it is read: another process may be at it
  if (is_finished(folder, key, overwrite)) return existing_outcome(folder);
  PreparedWriter writer(std::move(lock), folder, key, settings.shard_tokens);
  PreparedSink sink(files, writer, events);
  const bool whole = run_to_the_end(files, settings, sink, events);
  sink.tell_progress(/*last=*/true);
  PrepareOutcome outcome;
  outcome.tokens_per_second = sink.tokens_per_second();
  outcome.ledger = sink.ledger();
  if (whole) {
    check_kept(sink.ledger(), events);
    writer.finish(sink.ledger().json());
    outcome.stored_rows = sink.ledger().kept();
  } else {
    outcome.end = PrepareEnd::stopped;
    outcome.stored_rows = sink.stored_rows();
  }
  return outcome;
}

PrepareOutcome prepare_data(const std::vector<std::string>& files, const PrepareSettings& settings,
                            const fs::path& folder, const PrepareEvents& events, bool overwrite) {
  check_settings(settings);
  return prepare_data(files, settings, prepare_key(files, settings), folder, events, overwrite);
}

}  // namespace dflash
