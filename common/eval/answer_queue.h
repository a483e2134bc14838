// AnswerQueue: prompts of files to a decoder, its answers to an AnswerFile; turn by turn, row by row.
//
//   AnswerQueue queue(prompts, encoder, file, {.max_new_tokens = 512, .max_context = 4096, .vocab_size = 151936});
//   PlainDecoder(target, settings).run(queue);       // in as many threads as wanted
//   say(queue.ledger().text());
//
// A row that cannot be used is counted by reason, and the next one is read. Of an answer the token that ended it is
// left out, and of the rest the special tokens are: its text is what a reader would see. A thought that a template
// begins in its generation prompt (<think>) is put before the answer, so that the text holds all of it.
//
// Threading: any number of threads; one lock, held while a row is read, made into ids, or written.
// Limits: rows are read at most `most_rows_ahead` ahead of the first one that is not done.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "common/data/answers/answer_file.h"
#include "common/data/answers/answered_chat.h"
#include "common/data/answers/prompt_list.h"
#include "common/data/prompts/prompt_encoder.h"
#include "common/data/rows/row_ledger.h"
#include "common/eval/plain_decoder.h"

namespace dflash {

struct AnswerRules {
  int64_t max_new_tokens = 0;  // of one answer
  int64_t max_context = 0;     // tokens of a conversation, the answer included
  int64_t vocab_size = 0;
  int64_t most_rows_ahead = 4096;
};

/// Of this run.
struct AnswerCounts {
  int64_t rows_done = 0;      // answered or left out
  int64_t rows_answered = 0;  // written, or waiting for an earlier one
  int64_t answers = 0;
  int64_t new_tokens = 0;
  int64_t cut_answers = 0;                  // ended by a limit
  int64_t rows_ended_early = 0;             // conversations that were not answered to their end
  int64_t answers_with_special_tokens = 0;  // which their text lacks
};

class AnswerQueue : public PlainQueue {
 public:
  /// All must outlive the queue.
  AnswerQueue(PromptList& prompts, const PromptEncoder& encoder, AnswerFile& file, AnswerRules rules);

  [[nodiscard]] std::optional<PlainPrompt> next(bool idle) override;
  void take(PlainAnswer answer) override;
  [[nodiscard]] bool stopped() const override { return stopped_; }
  void count_tokens(int64_t new_tokens) override { new_tokens_ += new_tokens; }

  /// Decoders return soon, and who waits for a prompt gets none.
  void stop();
  [[nodiscard]] AnswerCounts counts() const;
  [[nodiscard]] RowLedger ledger() const;

 private:
  /// A row that is being answered.
  struct OpenRow {
    AnsweredChat chat;
    std::string id;
    Json tools;
    std::string thought;  // what the generation prompt began of one
  };

  [[nodiscard]] bool may_read() const;
  [[nodiscard]] std::optional<PlainPrompt> read_row();
  [[nodiscard]] std::optional<PlainPrompt> open_row(NumberedPrompt& prompt);
  [[nodiscard]] PlainPrompt make_prompt(int64_t number, OpenRow& row);
  void ask_again(int64_t number, OpenRow& row);
  void close_row(int64_t number, const OpenRow& row);
  [[nodiscard]] std::string text_of(const PlainAnswer& answer);

  PromptList& prompts_;
  const PromptEncoder& encoder_;
  AnswerFile& file_;
  const AnswerRules rules_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  TokenizerScratch scratch_;
  std::map<int64_t, OpenRow> open_;  // by number
  std::deque<PlainPrompt> later_turns_;
  bool all_read_ = false;
  RowLedger ledger_;
  AnswerCounts counts_;
  std::atomic<int64_t> new_tokens_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace dflash
