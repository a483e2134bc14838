// The vocabularies that the group `text` measures: the quickstart's, and published ones where they are
// (../shared/golden/text).
//
// Threading: functions only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dflash::bench {

/// The vocabularies in `names`, with blanks between; all when it holds no name. Error{config} for a name that is no
/// vocabulary.
[[nodiscard]] std::vector<std::string> chosen_vocabularies(const std::string& names);

/// The tokenizer.json of the vocabulary, unpacked into `folder` where it is packed; an empty path where it is not
/// there.
[[nodiscard]] std::filesystem::path vocabulary_file(const std::string& name, const std::filesystem::path& folder);

}  // namespace dflash::bench
