#include "ports/record/bulk_record.h"

#include "base/bytes.h"

namespace fermata::record {

// A rate was once so many a second. One that still is stands where it stood, so that operations
// under way are read by the program before; any other follows the results.
constexpr uint32_t seconds = 60;

std::string encode_bulk(const BulkRecord& bulk, uint64_t number) {
  ByteWriter out;
  for (const std::string* text : {&bulk.id, &bulk.account.text(), &bulk.kind, &bulk.action,
                                  &bulk.actor, &bulk.reason, &bulk.request_hash})
    out.text(*text);
  out.value(bulk.parameters);
  out.u8(static_cast<uint8_t>(bulk.state));
  out.zigzag(bulk.created_at.ms);
  out.u8(bulk.ended_at.has_value());
  if (bulk.ended_at) out.zigzag(bulk.ended_at->ms);
  bool by_second = bulk.per_minute % seconds == 0;
  for (uint64_t count :
       {uint64_t{by_second ? bulk.per_minute / seconds : 0}, bulk.matched, bulk.position, bulk.done,
        bulk.refused, bulk.failed, uint64_t{bulk.results.size()}})
    out.varint(count);
  for (const BulkResult& result : bulk.results) {
    out.varint(result.position);
    out.text(result.item);
    out.u8(result.failed);
    out.text(result.code);
    out.text(result.message);
  }
  if (!by_second) out.varint(bulk.per_minute);
  return seal(out.take(), number);
}

std::optional<BulkRecord> decode_bulk(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  BulkRecord bulk;
  bulk.id = in.text();
  bulk.account = AccountId(std::string(in.text()));
  for (std::string* text :
       {&bulk.kind, &bulk.action, &bulk.actor, &bulk.reason, &bulk.request_hash})
    *text = in.text();
  bulk.parameters = in.value();
  uint8_t state = in.u8();
  if (state > static_cast<uint8_t>(BulkState::stopped)) in.fail();
  bulk.state = static_cast<BulkState>(state);
  bulk.created_at = Instant{in.zigzag()};
  if (in.u8() != 0) bulk.ended_at = Instant{in.zigzag()};
  bulk.per_minute = static_cast<uint32_t>(in.varint()) * seconds;
  for (uint64_t* count : {&bulk.matched, &bulk.position, &bulk.done, &bulk.refused, &bulk.failed})
    *count = in.varint();
  bulk.results.resize(in.count());
  for (BulkResult& result : bulk.results) {
    result.position = in.varint();
    result.item = in.text();
    result.failed = in.u8() != 0;
    result.code = in.text();
    result.message = in.text();
  }
  if (in.ok() && !in.done()) bulk.per_minute = static_cast<uint32_t>(in.varint());
  if (!in.done()) return std::nullopt;
  return bulk;
}

std::string encode_items(const std::vector<std::string>& items, uint64_t number) {
  ByteWriter out;
  out.varint(items.size());
  for (const std::string& item : items) out.text(item);
  return seal(out.take(), number);
}

std::optional<std::vector<std::string>> decode_items(std::string_view record, uint64_t number,
                                                     uint64_t from, size_t limit) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  std::vector<std::string> out;
  size_t count = in.count();
  for (size_t i = 0; i < count && out.size() < limit; ++i) {
    std::string_view item = in.text();
    if (i >= from) out.emplace_back(item);
  }
  if (!in.ok()) return std::nullopt;
  return out;
}

}  // namespace fermata::record
