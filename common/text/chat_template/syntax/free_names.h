// FreeNames: which names a template reads and has not set itself, found while it is parsed: its variables.
//
//   names.open();          // a block: what is bound in it ends with it
//   names.bind("message");
//   names.read("message"); // the template's own
//   names.read("tools");   // free
//   names.close();
//
// A name that is set in one branch alone stays free behind it, as in
// {% if not date_string is defined %}{% set date_string = "..." %}{% endif %}.
//
// Threading: one thread. Owns: the names.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dflash::jinja {

class FreeNames {
 public:
  void open() { blocks_.push_back(order_.size()); }
  void close() {
    for (; order_.size() > blocks_.back(); order_.pop_back()) --bound_.find(order_.back())->second;
    blocks_.pop_back();
  }
  void bind(std::string_view name) {
    ++bound_.try_emplace(std::string(name), 0).first->second;
    order_.emplace_back(name);
  }
  void read(std::string_view name) {
    const auto bound = bound_.find(name);
    if (bound == bound_.end() || bound->second == 0) free_.emplace(name);
  }
  [[nodiscard]] const std::set<std::string>& found() const { return free_; }

 private:
  std::map<std::string, int, std::less<>> bound_;  ///< how often, in the blocks that are open
  std::vector<std::string> order_;                 ///< what was bound, innermost last
  std::vector<size_t> blocks_;                     ///< how many were bound before each
  std::set<std::string> free_;
};

}  // namespace dflash::jinja
