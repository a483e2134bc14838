// FolderLock: who holds it alone may look into a prepared folder in order to write there, and write.
//
//   const FolderLock lock = FolderLock::take(folder);   // before anything in the folder is believed or removed
//
// A process that dies lets go of it. On a file system without locks it holds nothing, and protects nothing.
//
// Threading: any. Owns: the descriptor of the folder.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "common/base/scoped_descriptor.h"

namespace dflash {

class FolderLock {
 public:
  /// Makes the folder where there is none. Nothing when another writer holds it. Error as throw_write_error.
  [[nodiscard]] static std::optional<FolderLock> try_take(const std::filesystem::path& folder);
  /// The same; Error{config} when another writer holds it.
  [[nodiscard]] static FolderLock take(const std::filesystem::path& folder);

 private:
  explicit FolderLock(int descriptor) : descriptor_(std::make_unique<ScopedDescriptor>(descriptor)) {}
  std::unique_ptr<ScopedDescriptor> descriptor_;  // negative on a file system that cannot open folders
};

}  // namespace dflash
