#include "common/text/chat_template/builtins/filters.h"

#include <algorithm>

namespace dflash::jinja {

FilterPointer find_filter(std::string_view name) {
  for (const auto table :
       {text_filters(), layout_filters(), number_filters(), sequence_filters(), order_filters(), selection_filters()}) {
    const auto place = std::ranges::find(table, name, &FilterEntry::name);
    if (place != table.end()) return place->filter;
  }
  return nullptr;
}

}  // namespace dflash::jinja
