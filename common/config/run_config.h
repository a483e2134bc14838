// run.toml + --set + flags -> RunConfig, by protobuf reflection over proto/run_config.proto.
//
//   RunConfig config = load_run_config("run.toml", {"train.lr=1e-3"});
//
// Order: defaults < run.toml < overrides, in their order. Every complaint is one line, Error{config}: "run.toml:7:3:
// unknown key 'train.step'; did you mean 'train.steps'?" (overrides: "--set train.step=..: ..."). Checked here: unknown
// keys and sections, types, ranges, missing required keys, combinations that need no file. Nothing is allocated or
// opened but run.toml. The result has every field set (defaults filled in), paths absolute (relative ones count from
// the folder of run.toml; in overrides from the working directory).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "proto/run_config.pb.h"

namespace dflash {

/// `overrides` are "section.key=VALUE": VALUE is TOML; what does not parse as TOML is a string.
[[nodiscard]] RunConfig load_run_config(const std::filesystem::path& path, const std::vector<std::string>& overrides);

/// `error`, whose message begins with a key ("train.lr = ..."), with the place where that key stands ("run.toml:7:3:
/// ...") or with the file alone when the key was not set by hand. Errors of other kinds come back unchanged.
[[nodiscard]] Error with_place(const Error& error, const std::filesystem::path& path,
                               const std::vector<std::string>& overrides);

/// Calls `check`, whose errors about settings get their place.
template <typename Check>
auto with_places(const std::filesystem::path& path, const std::vector<std::string>& overrides, const Check& check) {
  try {
    return check();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::config) throw;
    throw with_place(error, path, overrides);
  }
}

/// Hash of every setting that is meant to be equal on all ranks (all of them).
[[nodiscard]] uint64_t config_hash(const RunConfig& config);

/// The settings as aligned "section.key  value" lines, in the schema's order; changed ones are marked with '*'.
[[nodiscard]] std::string config_table(const RunConfig& config);

/// The settings as TOML text that load_run_config reads back to the same RunConfig.
[[nodiscard]] std::string config_toml(const RunConfig& config);

/// Every key with type, default, range and its comment from the schema: what --help-config prints.
[[nodiscard]] std::string config_help();

}  // namespace dflash
