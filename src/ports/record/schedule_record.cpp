#include "ports/record/schedule_record.h"

#include "base/fields.h"
#include "ports/record/record.h"

namespace fermata::record {

std::string encode_schedule(const ScheduleRecord& record, uint64_t number) {
  ByteWriter out;
  out.varint(record.version);
  out.varint(record.history_from);
  // No state is of sequence 0.
  out.varint(record.checkpoint ? record.checkpoint->sequence : 0);
  if (record.checkpoint) out.text(record.checkpoint->bytes);
  FieldWriter(out).put(record.summary);
  return seal(std::string(out.bytes()), number);
}

std::optional<ScheduleRecord> decode_schedule(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  ScheduleRecord out;
  out.version = in.varint();
  out.history_from = in.varint();
  if (uint64_t sequence = in.varint(); sequence > 0)
    out.checkpoint = Checkpoint{sequence, std::string(in.text())};
  FieldReader(in).take(out.summary);
  if (!in.done()) return std::nullopt;
  return out;
}

}  // namespace fermata::record
