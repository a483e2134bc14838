#include "common/eval/plain_decoder.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "common/eval/greedy_ids.h"

namespace dflash {
namespace {

// Prompt rows that go through the model in one step, beyond those of the first prompt: long prompts must not pile up.
constexpr int64_t kMostPromptRows = 2048;

}  // namespace

struct PlainDecoder::Text {
  PlainPrompt prompt;
  KvCache cache;
  std::vector<int64_t> rows;  // tokens of the next forward: the prompt, then the newest one
  PlainAnswer answer;
};

PlainDecoder::PlainDecoder(const TargetModel& target, PlainSettings settings)
    : target_(target), settings_(std::move(settings)) {}

bool PlainDecoder::is_stop(int64_t id) const {
  return std::ranges::find(settings_.stop_tokens, id) != settings_.stop_tokens.end();
}

void PlainDecoder::run(PlainQueue& queue) const {
  const c10::InferenceMode no_autograd;
  Texts texts;
  for (;;) {
    open_texts(queue, texts);
    if (texts.empty() || queue.stopped()) return;
    step(texts);
    queue.count_tokens(static_cast<int64_t>(texts.size()));
    close_texts(queue, texts);
  }
}

void PlainDecoder::open_texts(PlainQueue& queue, Texts& texts) const {
  for (int64_t rows = 0; static_cast<int64_t>(texts.size()) < settings_.most_texts && rows < kMostPromptRows;) {
    std::optional<PlainPrompt> prompt = queue.next(texts.empty());
    if (!prompt) return;
    const auto length = static_cast<int64_t>(prompt->ids.size());
    rows += length;
    PlainAnswer answer{prompt->row, prompt->turn, {}, false};
    std::vector<int64_t> first = prompt->ids;
    KvCache cache = target_.make_cache(length + prompt->most_new_tokens);
    texts.push_back({std::move(*prompt), std::move(cache), std::move(first), std::move(answer)});
  }
}

void PlainDecoder::step(Texts& texts) const {
  const std::vector<int64_t> chosen = choose(texts, next_logits(texts));
  for (size_t i = 0; i < texts.size(); ++i) {
    texts[i].rows.assign(1, chosen[i]);
    texts[i].answer.ids.push_back(chosen[i]);
    texts[i].answer.stopped = is_stop(chosen[i]);
  }
}

/// [texts, V]: behind the last row of each.
at::Tensor PlainDecoder::next_logits(Texts& texts) const {
  std::vector<CachedRows> cached;
  std::vector<int64_t> ids, last_rows;
  for (Text& text : texts) {
    cached.push_back({&text.cache, static_cast<int64_t>(text.rows.size())});
    ids.insert(ids.end(), text.rows.begin(), text.rows.end());
    last_rows.push_back(static_cast<int64_t>(ids.size()) - 1);
  }
  const at::Tensor hidden = target_.forward_cached(id_tensor(ids), cached, [](int64_t, const at::Tensor&) {});
  return target_.logits(hidden.index_select(0, id_tensor(last_rows)));
}

std::vector<int64_t> PlainDecoder::choose(const Texts& texts, const at::Tensor& logits) const {
  const Sampling& sampling = settings_.sampling;
  if (sampling.temperature == 0) return best_ids(logits);
  const at::Tensor wide = logits.to(at::kFloat).contiguous();
  const auto vocabulary = static_cast<size_t>(wide.size(1));
  const float* row = wide.const_data_ptr<float>();
  std::vector<int64_t> chosen;
  for (const Text& text : texts) {
    const double uniform = token_uniform(sampling.seed, text.prompt.row, text.prompt.turn, text.answer.ids.size());
    chosen.push_back(sample_token({row, vocabulary}, sampling, uniform));
    row += vocabulary;
  }
  return chosen;
}

void PlainDecoder::close_texts(PlainQueue& queue, Texts& texts) const {
  const auto is_done = [](const Text& text) {
    return text.answer.stopped || static_cast<int64_t>(text.answer.ids.size()) >= text.prompt.most_new_tokens;
  };
  for (Text& text : texts) {
    if (is_done(text)) queue.take(std::move(text.answer));
  }
  std::erase_if(texts, [](const Text& text) { return text.answer.ids.empty(); });  // taken
}

}  // namespace dflash
