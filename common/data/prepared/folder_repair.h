// The folder of a PreparedWriter, before the first document: claimed, and rid of what a killed writer left. Who calls
// these holds its FolderLock.
//
// Errors: as in prepared_writer.h.
#pragma once

#include <filesystem>

#include "common/base/json.h"

namespace dflash {

/// The folder is empty, or unfinished work with this key; afterwards preparing.json says so. Removes the temporary
/// files of killed writers.
void claim_prepared_folder(const std::filesystem::path& folder, const Json& key);

/// Removes shards and states from `number` on: such as have no state, or stand behind one that has none.
void remove_shards_from(const std::filesystem::path& folder, int64_t number);

/// Removes what only an unfinished folder needs: the states and preparing.json.
void remove_preparing_files(const std::filesystem::path& folder);

}  // namespace dflash
