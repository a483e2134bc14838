#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dflash::fuzz {
namespace {

constexpr auto kPieces = std::to_array<std::string_view>({"{",
                                                          "}",
                                                          "[",
                                                          "]",
                                                          "\"",
                                                          ":",
                                                          ",",
                                                          "null",
                                                          "-1",
                                                          "0",
                                                          "4294967296",
                                                          "1e308",
                                                          "99999999999999999999",
                                                          "{{",
                                                          "}}",
                                                          "{%",
                                                          "%}",
                                                          "|",
                                                          "(",
                                                          ")",
                                                          "\\u0000",
                                                          "\\ud800",
                                                          "\xFF",
                                                          "\xC3",
                                                          "\xF0\x9F\x98\x80",
                                                          "\n",
                                                          "'",
                                                          "*",
                                                          "+",
                                                          "{1,9}",
                                                          "<|im_end|>",
                                                          "true"});

}  // namespace

std::string mutate(std::string input, const std::string& other, std::mt19937_64& random) {
  const auto below = [&random](size_t n) { return n == 0 ? 0 : static_cast<size_t>(random() % n); };
  for (size_t damages = 1 + below(8); damages > 0; --damages) {
    const size_t at = below(input.size() + 1);
    const size_t length = std::min(1 + below(24), input.size() - at);
    switch (below(6)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 1:
        input.insert(at, kPieces[below(kPieces.size())]);
        break;
      case 2:
        input.insert(at, input.substr(at, length));
        break;
      case 3:
        input.erase(at, length);
        break;
      case 4:
        input.replace(at, length, kPieces[below(kPieces.size())]);
        break;
      default: {
        const size_t from = below(other.size());
        input.replace(at, length, other.substr(from, 1 + below(40)));
      }
    }
  }
  return input;
}

}  // namespace dflash::fuzz
