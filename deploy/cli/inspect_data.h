// dflash inspect data: what a prepared folder or a file of token ids holds, and some of its documents as text with the
// supervised part marked, so that a person can look.
#pragma once

#include <CLI/CLI.hpp>

namespace dflash {

/// Adds the command to `inspect`. It throws Error{input_file} for a path or tokenizer that cannot be used, or content
/// that --verify finds damaged; Error{config} for options that do not fit together.
void add_inspect_data(CLI::App& inspect);

}  // namespace dflash
