#include "common/data/batch_layout.h"

#include <cstring>
#include <limits>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"

namespace dflash {
namespace {

constexpr int kLayoutVersion = 2;
constexpr size_t kAlignmentBytes = 64;
constexpr uint64_t kMagic = 0x3142485f53414c46;  // "FLAS_HB1" in memory

static_assert(sizeof(BatchHeader) == 48 && sizeof(BatchHeader) <= kAlignmentBytes, "no holes, and one line of cache");

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::internal, "hidden-state batch: " + why);
}

size_t aligned(size_t bytes) {
  return (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
}

/// Checked, since sizes come from settings and files: count x width x element bytes.
size_t checked_bytes(int64_t count, int64_t width, size_t element_bytes) {
  size_t bytes = 0;
  constexpr size_t kMost = std::numeric_limits<int64_t>::max() / 2;
  if (__builtin_mul_overflow(static_cast<size_t>(count), static_cast<size_t>(width), &bytes) ||
      __builtin_mul_overflow(bytes, element_bytes, &bytes) || bytes > kMost) {
    throw Error(ErrorKind::config, format("a batch of {} positions x {} captured values is too large", count, width));
  }
  return bytes;
}

uint64_t checksum_of(const BatchHeader& header) {
  return hash_bytes(std::as_bytes(std::span(&header, 1)).first(offsetof(BatchHeader, checksum)));
}

void check_slot(size_t bytes, const BatchLayout& layout) {
  if (bytes < layout.slot_bytes) refuse(format("slot of {} bytes, its layout takes {}", bytes, layout.slot_bytes));
}

}  // namespace

BatchLayout make_batch_layout(int64_t pack_tokens, int64_t hidden_size, std::vector<int64_t> captured_layer_ids,
                              DType captured_dtype, bool split_layers) {
  if (pack_tokens < 1 || pack_tokens > std::numeric_limits<int32_t>::max() || hidden_size < 1 ||
      captured_layer_ids.empty()) {
    throw Error(ErrorKind::config, format("no batch has {} positions of {} captured layers of width {}", pack_tokens,
                                          captured_layer_ids.size(), hidden_size));
  }
  BatchLayout layout;
  layout.pack_tokens = pack_tokens;
  layout.hidden_size = hidden_size;
  layout.captured_layer_ids = std::move(captured_layer_ids);
  layout.captured_dtype = captured_dtype;
  layout.split_layers = split_layers;
  const size_t ids_bytes = aligned(checked_bytes(pack_tokens, 1, sizeof(int32_t)));
  layout.input_ids_offset = aligned(sizeof(BatchHeader));
  layout.document_ids_offset = layout.input_ids_offset + ids_bytes;
  layout.position_ids_offset = layout.document_ids_offset + ids_bytes;
  layout.loss_mask_offset = layout.position_ids_offset + ids_bytes;
  layout.captured_offset = layout.loss_mask_offset + aligned(checked_bytes(pack_tokens, 1, sizeof(uint8_t)));
  const auto layers = static_cast<int64_t>(layout.captured_layer_ids.size());
  checked_bytes(layers, hidden_size, 1);
  layout.slot_bytes = layout.captured_offset +
                      aligned(checked_bytes(pack_tokens, layout.captured_width(), dtype_bytes(captured_dtype)));
  return layout;
}

BatchLayout packed_layout(BatchLayout layout) {
  layout.split_layers = false;
  return layout;
}

uint64_t BatchLayout::hash() const {
  return hash_text(format("batch layout {}: T {} H {} layers [{}] {} dtype {} at {} {} {} {} {} of {}", kLayoutVersion,
                          pack_tokens, hidden_size, join(captured_layer_ids, ","), split_layers ? "split" : "packed",
                          dtype_code(captured_dtype), input_ids_offset, document_ids_offset, position_ids_offset,
                          loss_mask_offset, captured_offset, slot_bytes));
}

void write_batch_header(std::span<std::byte> slot, const BatchLayout& layout, int64_t sequence, int64_t used_tokens,
                        const BatchMarks& marks) {
  check_slot(slot.size(), layout);
  BatchHeader header{kMagic, layout.hash(), sequence, used_tokens, marks.finite, marks.noise_added, 0};
  header.checksum = checksum_of(header);
  std::memcpy(slot.data(), &header, sizeof(header));
}

BatchHeader read_batch_header(std::span<const std::byte> slot, const BatchLayout& layout) {
  check_slot(slot.size(), layout);
  BatchHeader header;
  std::memcpy(&header, slot.data(), sizeof(header));
  if (header.magic != kMagic) refuse(format("magic {} instead of {}", hash_hex(header.magic), hash_hex(kMagic)));
  if (header.checksum != checksum_of(header)) refuse("the header's checksum does not fit its fields");
  if (header.layout_hash != layout.hash()) {
    refuse(format("layout {} instead of {}: the two ends have different settings", hash_hex(header.layout_hash),
                  hash_hex(layout.hash())));
  }
  if (header.sequence < 0) refuse(format("sequence number {}", header.sequence));
  if (header.used_tokens < 0 || header.used_tokens > layout.pack_tokens) {
    refuse(format("{} used tokens of {}", header.used_tokens, layout.pack_tokens));
  }
  if (header.finite > 1 || header.noise_added > 1) {
    refuse(format("marks {} and {} that are neither 0 nor 1", header.finite, header.noise_added));
  }
  return header;
}

}  // namespace dflash
