// SearchBudget: how much time the searches of one text may take together, so that a hostile expression that is slow but
// not exponential (each search ends, and there are as many as bytes) ends too.
//
//   const SearchBudget budget(text.size());     // for all searches of this thread while it lives
//   SearchBudget::count_search(where);          // behind each of them
//
// Time is that of the thread, so that a busy machine spends none of it.
//
// Threading: each thread has its own. Of budgets inside each other the outermost counts.
// Limits: 5 s and 20 us for each byte of the text; the clock is read at every 32nd search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dflash {

class SearchBudget {
 public:
  explicit SearchBudget(size_t text_bytes);
  ~SearchBudget();
  SearchBudget(const SearchBudget&) = delete;
  SearchBudget& operator=(const SearchBudget&) = delete;

  /// Error{input_file} that begins with `where` when the time is over. Nothing happens without a budget.
  static void count_search(const std::string& where);

 private:
  void check_time(const std::string& where);

  const size_t text_bytes_;
  uint32_t searches_ = 0;
  int64_t begin_ns_ = 0;  // when the clock was read first
};

}  // namespace dflash
