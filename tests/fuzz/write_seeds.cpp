// write_seeds FOLDER: the seeds of each target, as files in a folder of its name.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "common/base/format.h"
#include "tests/fuzz/fuzz_target.h"

int main(int argc, char** argv) {
  using namespace dflash;
  if (argc != 2) {
    std::fputs("usage: write_seeds FOLDER\n", stderr);
    return 10;
  }
  for (const fuzz::Target& target : fuzz::kTargets) {
    const auto folder = std::filesystem::path(argv[1]) / target.name;
    std::filesystem::create_directories(folder);
    size_t number = 0;
    for (const std::string& seed : target.seeds())
      std::ofstream(folder / format("seed-{:03}", number++), std::ios::binary) << seed;
    std::printf("%s: %zu seeds\n", target.name, number);
  }
}
