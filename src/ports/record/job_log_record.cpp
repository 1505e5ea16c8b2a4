#include "ports/record/job_log_record.h"

#include "base/bytes.h"

namespace fermata::record {

std::string encode_log(const LogChunk& chunk, uint64_t number) {
  ByteWriter out;
  out.zigzag(chunk.at.ms);
  out.varint(chunk.lines.size());
  for (const std::string& line : chunk.lines) out.text(line);
  return seal(out.take(), number);
}

bool decode_log(std::string_view record, uint64_t number, LogChunk& chunk) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return false;
  ByteReader in(*body);
  chunk.at = Instant{in.zigzag()};
  chunk.lines.resize(in.count());
  for (std::string& line : chunk.lines) line = in.text();
  return in.done();
}

}  // namespace fermata::record
