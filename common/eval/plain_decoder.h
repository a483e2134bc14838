// PlainDecoder: texts by the target alone, a token at a time, many side by side.
//
//   PlainDecoder decoder(target, {.stop_tokens = {2046}, .sampling = {.temperature = 0.7}, .most_texts = 32});
//   decoder.run(queue);                     // until the queue ends
//
// In every step each open text gets one token; a text that ends leaves its place to the next prompt at once, whose rows
// go through the model together with the new tokens of the others: the weights are read once for all of them. Texts
// do not see each other. What stands beside a text may still alter the last bits of its logits (products of another
// size are summed in another order), so where two tokens are all but equally good, another `most_texts` may choose the
// other one; a drawn text can differ where its random number falls that close to a border.
//
// Threading: run is const; any number of threads may run, with one queue or several.
// Owns: the key/value caches of the open texts.
// Limits: a cache has room for a whole text from the start; memory is touched as the text grows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/eval/token_sampler.h"
#include "common/model/target_model.h"

namespace dflash {

/// A text to go on with.
struct PlainPrompt {
  std::vector<int64_t> ids;  // at least one
  int64_t most_new_tokens = 0;
  uint64_t row = 0;  // row and turn address its random numbers
  uint64_t turn = 0;
};

struct PlainAnswer {
  uint64_t row = 0;
  uint64_t turn = 0;
  std::vector<int64_t> ids;  // new tokens, the stop token included
  bool stopped = false;      // the last one is a stop token; else the limit ended it
};

/// Where prompts come from and answers go to. Called by the threads that run decoders, without a lock of theirs.
class PlainQueue {
 public:
  virtual ~PlainQueue() = default;
  /// The next prompt. Nothing: none for now, or, when the caller is `idle` (no text of its own is open), none ever.
  [[nodiscard]] virtual std::optional<PlainPrompt> next(bool idle) = 0;
  virtual void take(PlainAnswer answer) = 0;
  /// True: the decoder leaves its open texts and returns.
  [[nodiscard]] virtual bool stopped() const = 0;
  /// After every step.
  virtual void count_tokens(int64_t new_tokens) = 0;
};

struct PlainSettings {
  std::vector<int64_t> stop_tokens{};
  Sampling sampling{};
  int64_t most_texts = 32;  // side by side
};

class PlainDecoder {
 public:
  /// The target must outlive the decoder.
  PlainDecoder(const TargetModel& target, PlainSettings settings);

  /// Error{not_finite}; and whatever the queue throws.
  void run(PlainQueue& queue) const;

 private:
  struct Text;
  using Texts = std::vector<Text>;
  void open_texts(PlainQueue& queue, Texts& texts) const;
  void step(Texts& texts) const;
  void close_texts(PlainQueue& queue, Texts& texts) const;
  [[nodiscard]] at::Tensor next_logits(Texts& texts) const;
  [[nodiscard]] std::vector<int64_t> choose(const Texts& texts, const at::Tensor& logits) const;
  [[nodiscard]] bool is_stop(int64_t id) const;

  const TargetModel& target_;
  PlainSettings settings_;
};

}  // namespace dflash
