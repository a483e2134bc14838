#include "tests/support/paths.h"

namespace dflash::test {

std::filesystem::path source_dir() {
  return DFLASH_SOURCE_DIR;
}

std::filesystem::path programs_dir() {
  return DFLASH_PROGRAMS_DIR;
}

}  // namespace dflash::test
