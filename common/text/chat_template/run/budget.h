// Budget: counts what a rendering has used, and fails when it goes beyond its limits.
//
// Threading: one rendering's.
#pragma once

#include "common/base/format.h"
#include "common/text/chat_template/run/failure.h"
#include "common/text/chat_template/run/limits.h"

namespace dflash::jinja {

class Budget {
 public:
  explicit Budget(const TemplateLimits& limits) : limits_(limits) {}

  void spend(uint64_t steps) {
    steps_ += steps;
    if (steps_ > limits_.steps) fail(TemplateFailure::limit, format("more than {} steps", limits_.steps));
  }
  /// Before a string of `bytes` is made.
  void spend_text(size_t bytes) {
    if (bytes > limits_.text_bytes) {
      fail(TemplateFailure::limit, format("a text of more than {} bytes", limits_.text_bytes));
    }
    spend(1 + bytes / 8);
  }
  /// `times` copies of something of `size` (bytes, items): the product, or the limit's failure.
  [[nodiscard]] size_t product(size_t size, uint64_t times) const {
    size_t result = 0;
    if (__builtin_mul_overflow(size, times, &result) || result > limits_.text_bytes) {
      fail(TemplateFailure::limit, format("more than {} bytes or items in one value", limits_.text_bytes));
    }
    return result;
  }
  [[nodiscard]] uint64_t steps() const { return steps_; }
  [[nodiscard]] size_t text_bytes() const { return limits_.text_bytes; }
  void enter() {
    if (++depth_ > limits_.depth) fail(TemplateFailure::limit, format("nested deeper than {}", limits_.depth));
  }
  void leave() { --depth_; }

 private:
  TemplateLimits limits_;
  uint64_t steps_ = 0;
  int depth_ = 0;
};

class DepthGuard {
 public:
  explicit DepthGuard(Budget& budget) : budget_(budget) { budget_.enter(); }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
  ~DepthGuard() { budget_.leave(); }

 private:
  Budget& budget_;
};

}  // namespace dflash::jinja
