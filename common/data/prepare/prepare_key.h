// The key of prepared data: what the bytes of their shards depend on.
//
// Threading: functions only.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/data/prepare/prepare_settings.h"

namespace dflash {

/// {"version", "inputs": [{"bytes", "hash"}, ...], "tokenizer": hash, "template": hash, "settings": settings_json}.
/// Reads every file once; where a file lies and what it is called is not in it. An input that cannot be read twice
/// (standard input, a pipe) is null. Error{input_file} for a file that cannot be read.
[[nodiscard]] Json prepare_key(const std::vector<std::string>& files, const PrepareSettings& settings);

/// False when an input has no content in the key: such work cannot go on after an interruption.
[[nodiscard]] bool has_all_inputs(const Json& key);

/// The names of what is different in two keys: "inputs, settings.supervise"; empty for equal ones.
[[nodiscard]] std::string key_differences(const Json& left, const Json& right);

}  // namespace dflash
