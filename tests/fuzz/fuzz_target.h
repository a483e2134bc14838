// What is fuzzed: functions that take any bytes. Each ends, in bounded time and memory, with a result or with an Error;
// anything else (a crash, another exception, a broken promise of a result) ends the process.
//
// Threading: one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dflash::fuzz {

/// Bytes as a tokenizer.json, with which a short text is encoded and decoded.
void tokenizer_file(std::string_view bytes);
/// Bytes as a chat template, with which a short conversation is rendered.
void chat_template(std::string_view bytes);
/// Bytes as lines of JSON, each read as a row of every shape.
void rows(std::string_view bytes);
/// Bytes as a file of a prepared folder, which is opened and read: as its index when they begin with '{', else as its
/// first shard, as they are and once more with hashes and an index that fit them.
void prepared(std::string_view bytes);

/// Inputs to begin with, from the data of the other tests; none is larger than 64 KiB.
[[nodiscard]] std::vector<std::string> tokenizer_file_seeds();
[[nodiscard]] std::vector<std::string> chat_template_seeds();
[[nodiscard]] std::vector<std::string> row_seeds();
[[nodiscard]] std::vector<std::string> prepared_seeds();

struct Target {
  const char* name;
  void (*run)(std::string_view bytes);
  std::vector<std::string> (*seeds)();
};
inline constexpr Target kTargets[] = {{"tokenizer_file", tokenizer_file, tokenizer_file_seeds},
                                      {"chat_template", chat_template, chat_template_seeds},
                                      {"rows", rows, row_seeds},
                                      {"prepared", prepared, prepared_seeds}};

/// Ends the process with `promise` when it is not kept.
void require(bool kept, const char* promise);

}  // namespace dflash::fuzz
