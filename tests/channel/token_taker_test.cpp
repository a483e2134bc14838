#include "common/channel/token_taker.h"

#include <gtest/gtest.h>

#include <ctime>
#include <thread>

namespace dflash {
namespace {

using namespace std::chrono_literals;

std::chrono::nanoseconds own_processor_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

class TokenTakerTest : public testing::Test {
 protected:
  TokenTakerTest() { sem_init(&semaphore_, 0, 0); }
  ~TokenTakerTest() override { sem_destroy(&semaphore_); }

  sem_t semaphore_{};
  TokenTaker tokens_{semaphore_};
};

TEST_F(TokenTakerTest, TakesWhatIsThereAlsoAfterTheDeadline) {
  sem_post(&semaphore_);
  sem_post(&semaphore_);
  EXPECT_TRUE(tokens_.take(Deadline::after(-1s)));
  EXPECT_TRUE(tokens_.take(Deadline::after(1s)));
  EXPECT_FALSE(tokens_.take(Deadline::after(-1s)));
}

TEST_F(TokenTakerTest, WaitsUntilTheDeadlineAndNoToken) {
  for (const auto wait : {10us, 40us, 30000us, 40us}) {  // shorter and longer than it looks awake
    const Deadline deadline = Deadline::after(wait);
    EXPECT_FALSE(tokens_.take(deadline));
    EXPECT_TRUE(deadline.expired());
  }
}

TEST_F(TokenTakerTest, TakesEveryTokenOnceAwakeOrAsleep) {
  constexpr int kTokens = 400;
  std::thread poster([this] {
    for (int i = 0; i < kTokens; ++i) {
      if (i % 100 == 0) std::this_thread::sleep_for(5ms);
      sem_post(&semaphore_);
    }
  });
  for (int i = 0; i < kTokens; ++i) ASSERT_TRUE(tokens_.take(Deadline::after(10s))) << "token " << i;
  poster.join();
  EXPECT_FALSE(tokens_.take(Deadline::after(1ms)));
}

TEST_F(TokenTakerTest, SleepsWhenWaitsAreLong) {
  std::thread poster([this] {
    for (int i = 0; i < 100; ++i) {
      std::this_thread::sleep_for(5ms);
      sem_post(&semaphore_);
    }
  });
  const auto begin = own_processor_time();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(tokens_.take(Deadline::after(10s)));
  // Half a second of waiting; awake, it would all be processor time.
  EXPECT_LT(own_processor_time() - begin, 100ms);
  poster.join();
}

}  // namespace
}  // namespace dflash
