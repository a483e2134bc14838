// What becomes of a row once its tokens are known.
//
// Threading: functions only.
#pragma once

#include "common/data/prepare/prepare_settings.h"
#include "common/data/prepare/prepared_row.h"

namespace dflash {

/// Throws BadRow{bad_tokens} for an id that is not below settings.vocab_size.
void check_ids(const PreparedRow& row, const PrepareSettings& settings);

/// Cuts the row, or throws BadRow{too_long}; fills row.supervised; then throws BadRow{mask_token_in_answer} when a
/// supervised token is the mask token, and BadRow{too_few_supervised} for fewer than min_supervised_tokens, or no two
/// neighbours: an anchor needs its own token supervised, and the next.
void apply_length_rules(PreparedRow& row, const PrepareSettings& settings);

}  // namespace dflash
