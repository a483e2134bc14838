#include "common/data/prepare/length_rules.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/data/rows/bad_row.h"

namespace dflash {
namespace {

void cut_to_length(PreparedRow& row, const PrepareSettings& settings) {
  const auto most = static_cast<size_t>(settings.max_tokens);
  if (row.input_ids.size() <= most) return;
  if (settings.too_long == TooLong::drop) {
    throw BadRow(DropReason::too_long, format("{} tokens, the limit is {}", row.input_ids.size(), most));
  }
  row.input_ids.resize(most);
  row.loss_mask.resize(most);
  row.input_ids.shrink_to_fit();  // rows wait for their turn
  row.loss_mask.shrink_to_fit();
  row.cut = true;
}

bool has_neighbours(const std::vector<uint8_t>& mask) {
  return std::adjacent_find(mask.begin(), mask.end(), [](uint8_t a, uint8_t b) { return a && b; }) != mask.end();
}

void check_mask_token(const PreparedRow& row, int32_t mask_token_id) {
  for (size_t i = 0; i < row.input_ids.size(); ++i) {
    if (row.input_ids[i] != mask_token_id || row.loss_mask[i] == 0) continue;
    throw BadRow(DropReason::mask_token_in_answer, format("token {} is supervised and has id {}", i, mask_token_id));
  }
}

}  // namespace

void check_ids(const PreparedRow& row, const PrepareSettings& settings) {
  if (!settings.vocab_size) return;
  const auto fits = [&](int32_t id) { return id < *settings.vocab_size; };
  const auto bad = std::ranges::find_if_not(row.input_ids, fits);
  if (bad == row.input_ids.end()) return;
  throw BadRow(DropReason::bad_tokens, format("token {} has id {}, the target's vocabulary has {}",
                                              bad - row.input_ids.begin(), *bad, *settings.vocab_size));
}

void apply_length_rules(PreparedRow& row, const PrepareSettings& settings) {
  cut_to_length(row, settings);
  row.supervised = std::count(row.loss_mask.begin(), row.loss_mask.end(), uint8_t{1});
  if (settings.mask_token_id) check_mask_token(row, *settings.mask_token_id);
  const char* where = row.cut ? " after the cut" : "";
  if (row.supervised < settings.min_supervised_tokens) {
    throw BadRow(DropReason::too_few_supervised, format("{} supervised tokens{}, at least {} are asked for",
                                                        row.supervised, where, settings.min_supervised_tokens));
  }
  if (!has_neighbours(row.loss_mask)) {
    throw BadRow(DropReason::too_few_supervised, format("no two neighbouring supervised tokens{}", where));
  }
}

}  // namespace dflash
