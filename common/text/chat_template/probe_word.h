// Words that are put into a conversation to see where a template writes them.
#pragma once

namespace dflash {

/// Words that no conversation holds; ordinary letters, so that no template trims or escapes them.
constexpr const char* kProbeWord = "zqxjkvbpygfwmz";
constexpr const char* kProbeThought = "wvxqzjkgpbyfhq";

}  // namespace dflash
