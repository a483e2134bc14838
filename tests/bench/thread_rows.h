// Two threads that encode against one, by the clock on the wall, and what both cost in time of cores.
//
// A machine that cannot give two threads two cores gives no verdict: two threads of bare arithmetic show that.
#pragma once

#include <string>

#include "common/text/tokenizer/tokenizer.h"
#include "tests/bench/bench_table.h"
#include "tests/bench/measured_text.h"

namespace dflash::bench {

/// Two rows for the vocabulary `name`.
void measure_two_threads(const MeasuredText& text, const Tokenizer& tokenizer, const std::string& name,
                         BenchTable& table);

}  // namespace dflash::bench
