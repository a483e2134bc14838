// The group `data`: how fast an epoch is put into packs, how fast any batch of it is found, and how full the packs are.

#include <time.h>

#include <algorithm>
#include <random>
#include <utility>

#include "common/base/format.h"
#include "common/data/preloaded_dataset.h"
#include "common/data/prepared/prepared_writer.h"
#include "tests/bench/bench_table.h"
#include "tests/bench/sparse_folder.h"
#include "tests/data/document_makers.h"
#include "tests/support/quickstart_documents.h"
#include "tests/support/temp_folder.h"

namespace dflash::bench {
namespace {

constexpr size_t kDocuments = 5'000'000;  // of 2^24 positions that the permutation walks through: slow for their number
constexpr double kGoalRate = 3e6;         // documents a second on one core
constexpr double kMostPadding = 0.005;    // of the positions of an epoch

/// Time that this thread computed, whatever else the core was given to meanwhile.
double seconds_of(const auto& work) {
  const auto now_s = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double begin_s = now_s();
  work();
  return now_s() - begin_s;
}

/// Permutation, lengths out of the mapped offsets, best fit: all that an epoch costs before its first batch.
void bench_order(BenchTable& table) {
  const TempFolder temp;
  Documents documents;
  documents.add(make_sparse_folder(temp.path() / "prepared", chat_lengths(kDocuments, 3)));
  for (const int64_t pack_tokens : {1024, 4096, 32768}) {
    PackOrder order(documents, pack_tokens, 17);
    std::vector<double> rates;
    for (int64_t epoch = 0; epoch < 5; ++epoch) {
      rates.push_back(kDocuments / seconds_of([&] { (void)order.batches_in_epoch(epoch); }));
    }
    const double rate = median(rates);
    const std::string what = format("{} million documents of chats, packs of {}", kDocuments / 1'000'000, pack_tokens);
    table.add({format("packing an epoch, {}, one core", what), rate, "documents/s",
               format("the goal of {:.0e} documents/s", kGoalRate), rate / kGoalRate, 1, rate >= kGoalRate,
               format("slowest of five epochs {:.3g}", *std::ranges::min_element(rates))});
    std::mt19937_64 random(5);
    constexpr int kBatches = 500;
    const double access_s = seconds_of([&] {
      for (int i = 0; i < kBatches; ++i) {
        (void)order.documents_of(static_cast<int64_t>(random() % static_cast<uint64_t>(order.batches_in_epoch(0))));
      }
    });
    table.add({format("a batch anywhere, {}", what), kBatches / access_s, "batches/s", {}, {}, {}, {}, {}});
  }
}

/// What dflash prepare's last stage can take: hashing, mask bits, the disk and its flush.
void bench_writer(BenchTable& table) {
  const TempFolder temp;
  const std::vector<int32_t> ids(150, 7);
  const std::vector<uint8_t> mask(ids.size(), 1);
  constexpr int kWritten = 400'000;
  const double seconds = seconds_of([&] {
    PreparedWriter writer(temp.path() / "prepared", Json::object());
    for (int document = 0; document < kWritten; ++document) {
      writer.add(ids, mask);
      if (writer.shard_is_full()) writer.close_shard({{"next", document + 1}});
    }
    writer.finish(Json::object());
  });
  table.add({format("writing a prepared folder, documents of {} tokens, one core", ids.size()),
             kWritten * static_cast<double>(ids.size()) / seconds,
             "tokens/s",
             {},
             {},
             {},
             {},
             {}});
}

void add_padding(BenchTable& table, const std::string& what, PreloadedDataset& dataset) {
  double worst = 0;
  for (int64_t epoch = 0; epoch < 5; ++epoch) worst = std::max(worst, dataset.padding_share(epoch));
  table.add({format("padding, {}, worst of five epochs", what), worst, "of the positions",
             format("the most allowed, {}", kMostPadding), worst / kMostPadding, 1, worst < kMostPadding, "at most"});
}

void bench_padding(BenchTable& table) {
  const TempFolder temp;
  DataLedger ledger;
  PreloadedDataset quickstart(test::quickstart_documents(temp.path() / "prepared", 1024, ledger), 1024, 7);
  add_padding(table, "the chats of the quick start, packs of 1024", quickstart);
  PreloadedDataset drawn(make_documents(chat_lengths(40'000, 2)), 4096, 7);
  add_padding(table, "40,000 drawn lengths of chats, packs of 4096", drawn);
}

}  // namespace
}  // namespace dflash::bench

int main(int argc, char** argv) {
  using namespace dflash::bench;
  return run_group(argc, argv, "data", {bench_order, bench_writer, bench_padding});
}
