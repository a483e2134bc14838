// A prepared folder with the lengths of millions of documents and no ids: the ids are a hole in the file.
#pragma once

#include <filesystem>
#include <vector>

#include "common/data/prepared/prepared_folder.h"

namespace dflash::bench {

/// Documents of these lengths, a million to a shard. verify() would refuse it.
[[nodiscard]] PreparedFolder make_sparse_folder(const std::filesystem::path& folder,
                                                const std::vector<int64_t>& lengths);

}  // namespace dflash::bench
