// Preparing: files of conversations -> a folder of token ids and loss masks (data/prepared), and the ledger of what
// became of the rows. One call does all of it; `dflash prepare` and the cache of `dflash train` are this function.
//
//   const std::vector<std::string> files = expand_inputs(words);
//   const PrepareOutcome outcome = prepare_data(files, settings, folder, events);
//   say(outcome.ledger.text());
//   const PreparedFolder data = PreparedFolder::open(folder);
//
// The folder may be new, of an interrupted run (it goes on behind the last whole shard and the bytes are those of an
// unbroken run), or finished with the same key and whole (nothing is done). Its bytes do not depend on the number of
// threads. One process at a time is at a folder.
//
// Threading: call from one thread; it starts a reader and the workers and joins them before it returns or throws. The
// callbacks are called on the calling thread.
// Limits: memory does not grow with the files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/data/prepare/prepare_key.h"
#include "common/data/prepare/prepare_ledger.h"
#include "common/data/prepare/prepare_settings.h"

namespace dflash {

/// How far it got. Packed files count as they lie on the disk.
struct PrepareProgress {
  int64_t input_bytes = 0;    ///< of all files; 0 when one of them is standard input or a pipe
  int64_t done_bytes = 0;     ///< of what is through
  int64_t resumed_bytes = 0;  ///< of those, what an earlier run did
  int64_t rows = 0;           ///< this run's
  int64_t tokens = 0;         ///< this run's, of kept rows
  int64_t kept = 0;           ///< of all runs
  int64_t dropped = 0;        ///< of all runs
  double seconds = 0;         ///< this run's
  bool last = false;
};

/// Each may be empty.
struct PrepareEvents {
  std::function<void(const std::string& line)> notice;   ///< for a person: each file's shape, where it goes on
  std::function<void(const PrepareProgress&)> progress;  ///< after each chunk of rows, and at the end
  std::function<bool()> should_stop;                     ///< asked after each chunk of rows
};

enum class PrepareEnd : uint8_t {
  written,  ///< the folder is finished
  existed,  ///< it was finished already with the same key
  stopped,  ///< should_stop said so; whole shards are kept, the same call goes on behind them
};

/// What becomes of a folder that holds other or damaged data, or that another process is at.
enum class FolderUse : uint8_t {
  keep,       ///< it is refused
  overwrite,  ///< its data are removed; a folder in use is refused
  cache,      ///< damaged data are removed, which a notice says, other data are refused; in use: waits, with a notice
};

struct PrepareOutcome {
  PrepareEnd end = PrepareEnd::written;
  PrepareLedger ledger;          ///< of stopped: up to the stop
  int64_t stored_rows = 0;       ///< kept rows that lie in whole shards
  double tokens_per_second = 0;  ///< this run's; 0 when it did nothing
};

/// Sixteen hexadecimal digits that stand for a prepare_key: the name of a cache's folder. Error{config} when the key
/// has not all inputs: what comes from standard input cannot be recognised.
[[nodiscard]] std::string content_key(const Json& key);

/// `files` as expand_inputs gives them, `key` = prepare_key(files, settings) (it reads all files: ask once).
/// Error{config}: settings that cannot work; a folder in use, of another key, or of inputs that cannot be compared,
/// unless `use` says otherwise. Error{input_file}: a file, tokenizer or template that cannot be used, by name; no row
/// that can be trained on (the ledger was given to notice); a damaged folder. Error{stopped}: should_stop said so while
/// it waited for another process. Error{checkpoint}, Error{no_space}: the folder cannot be written.
[[nodiscard]] PrepareOutcome prepare_data(const std::vector<std::string>& files, const PrepareSettings& settings,
                                          const Json& key, const std::filesystem::path& folder,
                                          const PrepareEvents& events, FolderUse use = FolderUse::keep);
/// The same with a key of its own.
[[nodiscard]] PrepareOutcome prepare_data(const std::vector<std::string>& files, const PrepareSettings& settings,
                                          const std::filesystem::path& folder, const PrepareEvents& events,
                                          FolderUse use = FolderUse::keep);

}  // namespace dflash
