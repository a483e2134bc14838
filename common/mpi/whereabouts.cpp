#include "common/mpi/whereabouts.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "common/base/random.h"

namespace dflash {
namespace {

struct StageDelays {
  unsigned seed = 0;
  unsigned most_ms = 0;
};

StageDelays read_delays() {
  StageDelays delays;
  const char* text = std::getenv("DFLASH_STAGE_DELAYS");
  if (text != nullptr && std::sscanf(text, "%u:%u", &delays.seed, &delays.most_ms) != 2) delays = {};
  return delays;
}

}  // namespace

// Another delay for every process and call, so that the processes of a run meet in ever new orders.
void pause_in_tests() {
  static const StageDelays delays = read_delays();
  static std::atomic<uint64_t> calls = 0;
  if (delays.most_ms == 0) return;
  const CounterRandom random(delays.seed, RandomPurpose::stage_delays, static_cast<uint64_t>(getpid()));
  std::this_thread::sleep_for(std::chrono::milliseconds(random.bits(calls.fetch_add(1)) % (delays.most_ms + 1)));
}

void Whereabouts::enter(const char* stage, int64_t sequence) {
  sequence_.store(sequence);
  stage_.store(stage);
  entries_.fetch_add(1);
  pause_in_tests();
}

}  // namespace dflash
