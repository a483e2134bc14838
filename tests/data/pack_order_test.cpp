#include "common/data/pack_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/data/document_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

constexpr int64_t kPackTokens = 1024;

std::vector<std::vector<int64_t>> batches(PackOrder& order, int64_t begin, int64_t end) {
  std::vector<std::vector<int64_t>> all;
  for (int64_t sequence = begin; sequence < end; ++sequence) all.push_back(order.documents_of(sequence));
  return all;
}

std::vector<int64_t> flat_sorted(const std::vector<std::vector<int64_t>>& packs) {
  std::vector<int64_t> all;
  for (const auto& pack : packs) all.insert(all.end(), pack.begin(), pack.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<int64_t> counted(int64_t count) {
  std::vector<int64_t> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), int64_t{0});
  return all;
}

// 9,000 documents are three windows, the last one short.
const std::vector<int64_t>& three_windows() {
  static const std::vector<int64_t> lengths = chat_lengths(9000, 3);
  return lengths;
}

TEST(PackOrder, EveryDocumentOnceInEachEpoch) {
  for (const size_t count : {1, 2, 50, 4096, 4097, 9000}) {
    const Documents documents = make_documents(chat_lengths(count, 3));
    PackOrder order(documents, kPackTokens, 17);
    int64_t begin = 0;
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      const int64_t end = begin + order.batches_in_epoch(epoch);
      EXPECT_EQ(flat_sorted(batches(order, begin, end)), counted(documents.count())) << count << " " << epoch;
      begin = end;
    }
  }
}

TEST(PackOrder, PacksNeverExceed) {
  const Documents documents = make_documents(three_windows());
  PackOrder order(documents, kPackTokens, 17);
  for (const auto& pack : batches(order, 0, order.batches_in_epoch(0))) {
    int64_t tokens = 0;
    for (const int64_t document : pack) tokens += documents.length(document);
    EXPECT_LE(tokens, kPackTokens);
    EXPECT_GE(pack.size(), 1u);
  }
}

TEST(PackOrder, ABatchIsAPureFunctionOfItsNumber) {
  const Documents documents = make_documents(three_windows());
  PackOrder sequential(documents, kPackTokens, 17);
  const int64_t count = sequential.batches_in_epoch(0) + sequential.batches_in_epoch(1) + 20;
  const auto expected = batches(sequential, 0, count);
  PackOrder jumping(documents, kPackTokens, 17);
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    const auto sequence = static_cast<int64_t>(random() % static_cast<uint64_t>(count));
    EXPECT_EQ(jumping.documents_of(sequence), expected[static_cast<size_t>(sequence)]) << sequence;
    if (i % 20 == 0) {
      PackOrder fresh(documents, kPackTokens, 17);
      EXPECT_EQ(fresh.documents_of(sequence), expected[static_cast<size_t>(sequence)]) << sequence;
    }
  }
}

TEST(PackOrder, EpochsAndSeedsDiffer) {
  const Documents documents = make_documents(chat_lengths(500, 3));
  PackOrder order(documents, kPackTokens, 17), other_seed(documents, kPackTokens, 18);
  const int64_t first = order.batches_in_epoch(0);
  EXPECT_NE(batches(order, 0, 10), batches(order, first, first + 10));
  EXPECT_NE(batches(order, 0, 10), batches(other_seed, 0, 10));
}

TEST(PackOrder, PacksOfAWindowAreShuffled) {
  // Longest first would put the packs of long documents at the front; shuffled, both halves look alike.
  const Documents documents = make_documents(chat_lengths(4000, 3));
  PackOrder order(documents, kPackTokens, 17);
  const int64_t count = order.batches_in_epoch(0);
  const auto documents_in = [&](int64_t begin, int64_t end) {
    size_t sum = 0;
    for (const auto& pack : batches(order, begin, end)) sum += pack.size();
    return static_cast<double>(sum) / static_cast<double>(end - begin);
  };
  EXPECT_NEAR(documents_in(0, count / 2) / documents_in(count / 2, count), 1, 0.15);
}

TEST(PackOrder, AWindowHoldsFourThousandAndNinetySixDocumentsOfTheOrder) {
  const Documents documents = make_documents(three_windows());
  PackOrder order(documents, kPackTokens, 17);
  std::vector<size_t> seen;  // documents in the batches so far
  size_t sum = 0;
  for (const auto& pack : batches(order, 0, order.batches_in_epoch(0))) seen.push_back(sum += pack.size());
  EXPECT_NE(std::find(seen.begin(), seen.end(), 4096u), seen.end());
  EXPECT_NE(std::find(seen.begin(), seen.end(), 8192u), seen.end());
}

TEST(PackOrder, RefusesNegativeNumbersAndNoDocuments) {
  const Documents documents = make_documents({5});
  PackOrder order(documents, kPackTokens, 17);
  EXPECT_EQ(order.documents_of(1000), std::vector<int64_t>{0});
  expect_error(ErrorKind::internal, "batch -1", [&] { (void)order.documents_of(-1); });
  expect_error(ErrorKind::internal, "no documents", [] { PackOrder none(Documents{}, kPackTokens, 17); });
}

}  // namespace
}  // namespace dflash
