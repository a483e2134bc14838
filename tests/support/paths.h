// Where the sources and the built programs lie. Compiled once, in paths.cpp, so that no test's object file depends on
// the folder of the checkout.
#pragma once

#include <filesystem>

namespace dflash::test {

[[nodiscard]] std::filesystem::path source_dir();
[[nodiscard]] std::filesystem::path programs_dir();

}  // namespace dflash::test
