#include "common/data/state_rows.h"

#include <cstring>

#include "common/base/error.h"
#include "common/base/float_bits.h"
#include "common/base/format.h"
#include "common/base/vector_clones.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace dflash {
namespace {

/// Infinities and NaNs are the numbers whose exponent bits are all set.
constexpr uint32_t kExponentF32 = 0x7f800000U;
constexpr uint16_t kExponentBf16 = 0x7f80U;

template <typename Word>
constexpr Word kExponent = sizeof(Word) == 4 ? Word(kExponentF32) : Word(kExponentBf16);

/// Word by word: the end of a row, and processors without AVX2. `to` may be null.
template <typename Word>
bool copy_words(const std::byte* from, size_t size_bytes, std::byte* to) {
  bool finite = true;
  for (size_t i = 0; i + sizeof(Word) <= size_bytes; i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, from + i, sizeof(Word));
    finite = finite && (word & kExponent<Word>) != kExponent<Word>;
  }
  if (to != nullptr) std::memcpy(to, from, size_bytes);
  return finite;
}

#ifdef __x86_64__
template <typename Word>
__attribute__((target("avx2"))) inline __m256i not_finite(__m256i words) {
  if constexpr (sizeof(Word) == 4) {
    const __m256i exponent = _mm256_set1_epi32(static_cast<int>(kExponentF32));
    return _mm256_cmpeq_epi32(_mm256_and_si256(words, exponent), exponent);
  } else {
    const __m256i exponent = _mm256_set1_epi16(static_cast<int16_t>(kExponentBf16));
    return _mm256_cmpeq_epi16(_mm256_and_si256(words, exponent), exponent);
  }
}

enum class Write { none, cached, streamed };

template <typename Word, Write write>
__attribute__((target("avx2"))) bool copy_wide(const std::byte* from, size_t size_bytes, std::byte* to) {
  constexpr size_t kStep = 64;
  __m256i bad = _mm256_setzero_si256();
  size_t i = 0;
  for (; i + kStep <= size_bytes; i += kStep) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i + kStep / 2));
    bad = _mm256_or_si256(bad, _mm256_or_si256(not_finite<Word>(a), not_finite<Word>(b)));
    auto* place = reinterpret_cast<__m256i*>(to + i);
    if constexpr (write == Write::streamed) {
      _mm256_stream_si256(place, a);
      _mm256_stream_si256(place + 1, b);
    } else if constexpr (write == Write::cached) {
      _mm256_storeu_si256(place, a);
      _mm256_storeu_si256(place + 1, b);
    }
  }
  std::byte* rest = write == Write::none ? nullptr : to + i;
  const bool rest_finite = copy_words<Word>(from + i, size_bytes - i, rest);
  return _mm256_testz_si256(bad, bad) != 0 && rest_finite;
}

template <typename Word>
bool copy_row(const std::byte* from, size_t size_bytes, std::byte* to, bool streamed) {
  if (to == nullptr) return copy_wide<Word, Write::none>(from, size_bytes, nullptr);
  const bool aligned = reinterpret_cast<uintptr_t>(to) % 32 == 0;
  return streamed && aligned ? copy_wide<Word, Write::streamed>(from, size_bytes, to)
                             : copy_wide<Word, Write::cached>(from, size_bytes, to);
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0;
}
#else
template <typename Word>
bool copy_row(const std::byte* from, size_t size_bytes, std::byte* to, bool /*streamed*/) {
  return copy_words<Word>(from, size_bytes, to);
}
bool has_avx2() {
  return false;
}
#endif

template <typename Word>
bool row(bool wide, const std::byte* from, size_t size_bytes, std::byte* to, bool streamed) {
  return wide ? copy_row<Word>(from, size_bytes, to, streamed) : copy_words<Word>(from, size_bytes, to);
}

}  // namespace

StateRows::StateRows(DType dtype, bool streamed) : dtype_(dtype), streamed_(streamed), wide_(has_avx2()) {
  if (dtype == DType::f32 || dtype == DType::bf16) return;
  throw Error(ErrorKind::internal, format("hidden states do not travel in {}", dtype_code(dtype)));
}

void StateRows::copy(const std::byte* from, size_t size_bytes, std::byte* to) {
  const bool finite = dtype_ == DType::f32 ? row<uint32_t>(wide_, from, size_bytes, to, streamed_)
                                           : row<uint16_t>(wide_, from, size_bytes, to, streamed_);
  finite_ = finite_ && finite;
}

void StateRows::look(const std::byte* from, size_t size_bytes) {
  copy(from, size_bytes, nullptr);
}

bool StateRows::finish() {
#ifdef __x86_64__
  if (streamed_) _mm_sfence();  // streamed writes are not ordered with later ones otherwise
#endif
  return finite_;
}

DFLASH_VECTOR_CLONES
void add_scaled_f32(const std::byte* from, const float* numbers, float strength, int64_t count, std::byte* to) {
  for (int64_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, from + 4 * i, 4);
    value += strength * numbers[i];
    std::memcpy(to + 4 * i, &value, 4);
  }
}

DFLASH_VECTOR_CLONES
void add_scaled_bf16(const std::byte* from, const float* numbers, float strength, int64_t count, std::byte* to) {
  for (int64_t i = 0; i < count; ++i) {
    uint16_t half;
    std::memcpy(&half, from + 2 * i, 2);
    half = bf16_from(from_bf16(half) + strength * numbers[i]);
    std::memcpy(to + 2 * i, &half, 2);
  }
}

}  // namespace dflash
