// The two compressed kinds of ByteSource. Each takes bytes that begin as its kind begins.
#pragma once

#include <memory>

#include "common/data/rows/byte_source.h"
#include "common/data/rows/raw_bytes.h"

namespace dflash {

/// gzip: any number of members one behind the other (zero bytes may follow the last); checksums are checked.
[[nodiscard]] std::unique_ptr<ByteSource> open_gzip(std::unique_ptr<RawBytes> raw);

/// zstd: any number of frames one behind the other, skippable ones too; checksums are checked where frames have them.
[[nodiscard]] std::unique_ptr<ByteSource> open_zstd(std::unique_ptr<RawBytes> raw);

/// The Error of compressed data that are broken, or end too early, where `raw` stands.
[[noreturn]] void throw_broken_data(const RawBytes& raw, const char* kind, const std::string& why);
[[noreturn]] void throw_cut_data(const RawBytes& raw, const char* kind);

}  // namespace dflash
