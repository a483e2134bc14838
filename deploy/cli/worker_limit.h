// How many workers of one role a command line may ask for.
#pragma once

namespace dflash {

constexpr int kMostWorkers = 4096;  // far beyond what one coordinator can lead

}  // namespace dflash
