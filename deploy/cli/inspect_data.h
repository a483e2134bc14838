// dflash inspect data: what a prepared folder or a file of token ids holds, and some of its documents as text with the
// supervised part marked, so that a person can look.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dflash {

struct InspectDataOptions {
  std::vector<std::string> paths;
  std::string tokenizer;
  int64_t rows = 5;
  int64_t first = 0;
  std::optional<uint64_t> random;
  int64_t tokens = 8192;
  std::string color = "auto";
  bool verify = false;
  bool json = false;
};

/// Prints to standard output. Error{input_file} for a path or tokenizer that cannot be used, or content that --verify
/// finds damaged; Error{config} for options that do not fit together.
void inspect_data(const InspectDataOptions& options);

/// Adds the command to `inspect`.
void add_inspect_data(CLI::App& inspect);

}  // namespace dflash
