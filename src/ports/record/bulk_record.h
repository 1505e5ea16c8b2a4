#pragma once
#include "ports/bulk.h"
#include "ports/record/record.h"

namespace fermata::record {

std::string encode_bulk(const BulkRecord& bulk, uint64_t number);
std::optional<BulkRecord> decode_bulk(std::string_view record, uint64_t number);

/// The selection of one, which is written once.
std::string encode_items(const std::vector<std::string>& items, uint64_t number);
/// A part of it: `limit` of them from the place `from` on.
std::optional<std::vector<std::string>> decode_items(std::string_view record, uint64_t number,
                                                     uint64_t from, size_t limit);

}  // namespace fermata::record
