// Version numbers inside the texts of other programs.
#pragma once

#include <string>

namespace dflash {

/// The first number with a point in `text`: "4.1.4" of "mpirun (Open MPI) 4.1.4"; empty when there is none.
[[nodiscard]] std::string version_in(const std::string& text);

/// "4" of "4.1.4".
[[nodiscard]] std::string major_of(const std::string& version);

/// The first line of `text`, without what a terminal could obey.
[[nodiscard]] std::string first_line(const std::string& text);

}  // namespace dflash
