// A range of numbers for options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dflash {

/// Numbers from `least` to `most`; unlike CLI::Range it refuses nan.
[[nodiscard]] inline CLI::Validator number_range(double least, double most) {
  return {[least, most](std::string& word) -> std::string {
            double number = 0;
            const bool fits = CLI::detail::lexical_cast(word, number) && number >= least && number <= most;
            return fits ? ""
                        : word + " is no number from " + CLI::detail::to_string(least) + " to " +
                              CLI::detail::to_string(most);
          },
          "FLOAT in [" + CLI::detail::to_string(least) + " - " + CLI::detail::to_string(most) + "]"};
}

}  // namespace dflash
