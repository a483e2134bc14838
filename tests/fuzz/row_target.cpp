#include <cstdio>
#include <cstdlib>

#include "common/data/rows/row_parser.h"
#include "common/text/unicode/utf8.h"
#include "tests/fuzz/fuzz_target.h"

namespace dflash::fuzz {

void rows(std::string_view bytes) {
  RowParser parser;
  int64_t number = 0;
  for (size_t at = 0; at < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', at), bytes.size());
    const Line line{++number, bytes.substr(at, end - at), false, end < bytes.size()};
    for (int shape = 0; shape < kRowShapeCount; ++shape) (void)parser.read(line, static_cast<RowShape>(shape));
    at = end + 1;
  }
}

void require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "not kept: %s\n", promise);
  std::abort();
}

}  // namespace dflash::fuzz
