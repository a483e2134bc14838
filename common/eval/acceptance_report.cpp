#include "common/eval/acceptance_report.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/text/shown/visible_text.h"

namespace dflash {
namespace {

constexpr int64_t kBarWidth = 40;

Json counts_json(const AcceptanceCounts& counts) {
  return {{"acceptance_length", counts.acceptance_length()},
          {"accepted_tokens", counts.accepted_tokens},
          {"target_passes", counts.target_passes},
          {"prompts", counts.prompts}};
}

std::string counts_row(const std::string& kind, const AcceptanceCounts& counts) {
  return format("{:<16} {:>8} {:>10} {:>10} {:>8.3f}\n", kind, counts.prompts, counts.target_passes,
                counts.accepted_tokens, counts.acceptance_length());
}

std::string histogram_text(const std::vector<int64_t>& histogram) {
  const int64_t most = std::max<int64_t>(1, *std::max_element(histogram.begin(), histogram.end()));
  std::string text = "tokens committed per target pass\n";
  for (size_t k = 0; k < histogram.size(); ++k) {
    text += format("{:>4} {:>8} {}\n", k + 1, histogram[k],
                   std::string(static_cast<size_t>(histogram[k] * kBarWidth / most), '#'));
  }
  return text;
}

Json step_json(const DecodeStep& step) {
  return {{"start", step.start},
          {"verify_size", step.draft.size() + 1},
          {"new_context_rows", step.new_context_rows},
          {"bonus", step.bonus},
          {"draft", step.draft},
          {"posterior", step.posterior},
          {"accepted", step.accepted},
          {"committed", step.committed},
          {"draft_cache_before_crop", step.draft_cache_before_crop},
          {"draft_cache_after_crop", step.draft_cache_after_crop},
          {"target_cache_before_crop", step.target_cache_before_crop},
          {"target_cache_after_crop", step.target_cache_after_crop}};
}

Json run_json(const Decoded& decoded, const DecodeLimits& limits) {
  const auto prompt_end = decoded.ids.begin() + decoded.prompt_tokens;
  Json steps = Json::array(), lengths = Json::array();
  AcceptanceCounts counts;
  counts.add(decoded);
  std::vector<int64_t> histogram(static_cast<size_t>(limits.block_size), 0);
  for (const DecodeStep& step : decoded.steps) {
    steps.push_back(step_json(step));
    lengths.push_back(step.committed.size());
    ++histogram[step.committed.size() - 1];
  }
  return {{"prompt", std::vector<int64_t>(decoded.ids.begin(), prompt_end)},
          {"max_new_tokens", limits.max_new_tokens},
          {"block_size", limits.block_size},
          {"stop_token_ids", limits.stop_tokens},
          {"temperature", 0.0},
          {"steps", steps},
          {"acceptance_lengths", lengths},
          {"output_ids", decoded.ids},
          {"accept_len_mean", decoded.steps.empty() ? Json() : Json(counts.acceptance_length())},
          {"histogram", histogram}};
}

}  // namespace

void AcceptanceCounts::add(const Decoded& decoded) {
  ++prompts;
  for (const DecodeStep& step : decoded.steps) {
    const auto committed = static_cast<int64_t>(step.committed.size());
    ++target_passes;
    committed_tokens += committed;
    accepted_tokens += std::min(step.accepted, committed);
  }
}

double AcceptanceCounts::acceptance_length() const {
  return target_passes == 0 ? 0.0 : static_cast<double>(committed_tokens) / static_cast<double>(target_passes);
}

void AcceptanceReport::add(const Prompt& prompt, const Decoded& decoded, GreedyVerdict verdict) {
  all.add(decoded);
  by_kind[prompt.kind].add(decoded);
  for (const DecodeStep& step : decoded.steps) ++histogram[step.committed.size() - 1];
  near_ties += verdict == GreedyVerdict::near_tie;
  differences += verdict == GreedyVerdict::different;
}

AcceptanceReport empty_report(int64_t block_size) {
  AcceptanceReport report;
  report.histogram.assign(static_cast<size_t>(block_size), 0);
  return report;
}

AcceptanceReport make_report(const std::vector<Prompt>& prompts, const std::vector<Decoded>& decoded,
                             const std::vector<GreedyVerdict>& verdicts, int64_t block_size) {
  AcceptanceReport report = empty_report(block_size);
  for (size_t i = 0; i < prompts.size(); ++i) report.add(prompts[i], decoded[i], verdicts[i]);
  return report;
}

Json report_json(const AcceptanceReport& report) {
  Json by_kind = Json::object();
  for (const auto& [kind, counts] : report.by_kind) by_kind[kind] = counts_json(counts);
  return {{"acceptance_length", report.all.acceptance_length()},
          {"accepted_tokens", report.all.accepted_tokens},
          {"by_kind", by_kind},
          {"histogram", report.histogram},
          {"target_passes", report.all.target_passes},
          {"prompts", report.all.prompts},
          {"lossless", report.lossless()},
          {"near_ties", report.near_ties}};
}

std::string counts_table(const AcceptanceReport& report) {
  std::string text = format("{:<16} {:>8} {:>10} {:>10} {:>8}\n", "kind", "prompts", "passes", "accepted", "length");
  const bool has_kinds = report.by_kind.size() > 1 || !report.by_kind.contains("all");
  for (const auto& [kind, counts] : report.by_kind) {
    if (has_kinds) text += counts_row(visible_line(kind), counts);
  }
  return text + counts_row("in all", report.all);
}

std::string report_text(const AcceptanceReport& report) {
  std::string text = counts_table(report) + "\n" + histogram_text(report.histogram);
  text += format("\nacceptance length {:.3f} (with the bonus token)\n", report.all.acceptance_length());
  const int64_t saved = report.all.committed_tokens - report.all.target_passes;
  const double share = report.all.committed_tokens == 0
                           ? 0.0
                           : 100.0 * static_cast<double>(saved) / static_cast<double>(report.all.committed_tokens);
  text += format("target passes saved: {} of {} ({:.1f} %)\n", saved, report.all.committed_tokens, share);
  text += report.lossless() ? "lossless: every text equals plain greedy decoding"
                            : format("NOT lossless: {} texts differ from plain greedy decoding", report.differences);
  if (report.near_ties > 0) text += format(" ({} at a near tie of two logits)", report.near_ties);
  return text + "\n";
}

Json trace_json(const std::vector<Decoded>& decoded, const DecodeLimits& limits) {
  Json runs = Json::array();
  for (const Decoded& text : decoded) runs.push_back(run_json(text, limits));
  return runs;
}

}  // namespace dflash
