#include "common/data/prepare/prepare_data.h"

#include <chrono>
#include <thread>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/data/prepare/held_data.h"
#include "common/data/prepare/prepared_sink.h"
#include "common/data/prepared/folder_repair.h"
#include "common/data/prepared/prepared_index.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kPause = 500ms;  // between two looks at a folder in use

void tell(const PrepareEvents& events, const std::string& line) {
  if (events.notice) events.notice(line);
}

/// Nothing in the folder may be read before: another process may be at it. A cache waits for the other's end, or death.
FolderLock lock_folder(const fs::path& folder, FolderUse use, const PrepareEvents& events) {
  if (use != FolderUse::cache) return FolderLock::take(folder);
  for (bool told = false;; told = true) {
    if (auto lock = FolderLock::try_take(folder)) return std::move(*lock);
    if (!told) tell(events, format("{}: another process is preparing the same data; waiting for it", folder.string()));
    if (events.should_stop && events.should_stop()) {
      throw Error(ErrorKind::stopped, format("a signal ended the wait for the process that prepares data in {}; start "
                                             "the same command again",
                                             folder.string()));
    }
    std::this_thread::sleep_for(kPause);
  }
}

/// Afterwards the folder is finished, or new, or this key's unfinished work; anything else was removed or is refused.
void settle_folder(const HeldData& held, const fs::path& folder, const Json& key, FolderUse use,
                   const PrepareEvents& events) {
  std::error_code ignored;
  if (held.what == Held::finished && fs::exists(folder / kPreparingName, ignored)) {
    remove_preparing_files(folder);  // of a process that was killed behind the end
  }
  if (held.what == Held::other && use != FolderUse::overwrite) {
    throw Error(ErrorKind::config,
                format("{}: holds data that were prepared from {}; name another folder, or overwrite it",
                       folder.string(), held.why));
  }
  if (held.what == Held::damaged) {
    if (use == FolderUse::keep) {
      throw Error(ErrorKind::input_file,
                  format("{}: is damaged ({}); name another folder, or overwrite it", folder.string(), held.why));
    }
    tell(events, format("{}: is damaged ({}); the data are prepared anew", folder.string(), held.why));
  }
  if (held.what == Held::other || held.what == Held::damaged) clear_prepared_folder(folder, key);
}

PrepareOutcome existing_outcome(const PrepareLedger& ledger) {
  PrepareOutcome outcome;
  outcome.end = PrepareEnd::existed;
  outcome.ledger = ledger;
  outcome.stored_rows = ledger.kept();
  return outcome;
}

/// An error is told with the ledger up to it.
bool run_to_the_end(const std::vector<std::string>& files, const PrepareSettings& settings, PreparedSink& sink,
                    const PrepareEvents& events) {
  const PrepareTexts texts = read_texts(settings);
  try {
    return run_prepare_pipeline(files, settings, texts, sink.start(), sink);
  } catch (const Error&) {
    if (sink.ledger().rows().rows() > 0) tell(events, "up to the error:\n" + sink.ledger().text());
    throw;
  }
}

void check_kept(const PrepareLedger& ledger, const PrepareEvents& events) {
  if (ledger.kept() > 0) return;
  tell(events, ledger.text());
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
                            const fs::path& folder, const PrepareEvents& events, FolderUse use) {
  check_settings(settings);
  FolderLock lock = lock_folder(folder, use, events);
  const HeldData held = look_into(folder, key);
  settle_folder(held, folder, key, use, events);
  if (held.what == Held::finished) return existing_outcome(held.ledger);
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
                            const fs::path& folder, const PrepareEvents& events, FolderUse use) {
  check_settings(settings);
  return prepare_data(files, settings, prepare_key(files, settings), folder, events, use);
}

}  // namespace dflash
