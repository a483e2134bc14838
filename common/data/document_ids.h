// The document of every position of a pack, from where its documents start: two ways to the same result.
#pragma once

#include <cstdint>
#include <span>

namespace dflash {

enum class DocumentIdsWay {
  repeat,       ///< each id repeated by its document's length: the shapes depend on the documents
  fixed_shape,  ///< marks at the starts, summed up: the same operations whatever the documents are, as captured graphs
                ///< need it
};

/// `starts`: first position of each document, ascending, then the end of the last one. Writes 0, 1, ... and -1 behind
/// the end.
void fill_document_ids(DocumentIdsWay way, std::span<const int32_t> starts, std::span<int32_t> ids);

}  // namespace dflash
