// Damages for inputs of fuzz targets: the same for the same seed.
#pragma once

#include <random>
#include <span>
#include <string>

namespace dflash::fuzz {

/// `input` with one to eight damages: bits turned, bytes put in, doubled, taken out or swapped for those of `other`.
[[nodiscard]] std::string mutate(std::string input, const std::string& other, std::mt19937_64& random);

}  // namespace dflash::fuzz
