// Parquet files as JSON lines: dflash-parquet, a program beside this one, writes them into a pipe.
#pragma once

#include <memory>
#include <string>

#include "common/data/rows/byte_source.h"

namespace dflash {

/// Starts the program. Error{input_file} when this build has none, with the way to convert the file. When the file
/// turns out to be broken, read() throws an Error{input_file} that names it.
[[nodiscard]] std::unique_ptr<ByteSource> open_parquet(const std::string& path);

}  // namespace dflash
