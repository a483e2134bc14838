// The conversations of the quick start as documents, prepared as deploy/configs/quickstart.toml has it.
#pragma once

#include <filesystem>

#include "common/data/documents.h"
#include "common/data/prepare/prepare_data.h"
#include "tests/support/paths.h"

namespace dflash::test {

/// Writes them prepared into `folder`, which must be new.
inline Documents quickstart_documents(const std::filesystem::path& folder, int64_t pack_tokens, DataLedger& ledger) {
  const std::filesystem::path data = source_dir() / "deploy/quickstart-data";
  PrepareSettings settings;
  settings.tokenizer = settings.chat_template = data / "target";
  settings.max_tokens = pack_tokens;
  settings.min_supervised_tokens = 2;
  settings.mask_token_id = 2047;
  settings.vocab_size = 2048;
  (void)prepare_data({(data / "chat.jsonl").string()}, settings, folder, {});
  return load_documents({folder}, *settings.vocab_size, pack_tokens, ledger);
}

}  // namespace dflash::test
