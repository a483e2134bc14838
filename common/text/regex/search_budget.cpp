#include "common/text/regex/search_budget.h"

#include <ctime>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr int64_t kBaseNs = 5'000'000'000;
constexpr int64_t kNsPerByte = 20'000;
constexpr uint32_t kSearchesPerCheck = 32;

thread_local SearchBudget* current = nullptr;

int64_t thread_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

SearchBudget::SearchBudget(size_t text_bytes) : text_bytes_(text_bytes) {
  if (current == nullptr) current = this;
}

SearchBudget::~SearchBudget() {
  if (current == this) current = nullptr;
}

void SearchBudget::count_search(const std::string& where) {
  if (current != nullptr && ++current->searches_ % kSearchesPerCheck == 0) current->check_time(where);
}

void SearchBudget::check_time(const std::string& where) {
  const int64_t now_ns = thread_time_ns();
  if (begin_ns_ == 0) begin_ns_ = now_ns;
  if (now_ns - begin_ns_ <= kBaseNs + kNsPerByte * static_cast<int64_t>(text_bytes_)) return;
  throw Error(ErrorKind::input_file,
              format("{}: {} searches for the regular expressions have taken {} s of a text of {} bytes: more than any "
                     "usable expression needs",
                     where, searches_, (now_ns - begin_ns_) / 1'000'000'000, text_bytes_));
}

}  // namespace dflash
