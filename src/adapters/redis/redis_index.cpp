#include "adapters/redis/redis_index.h"

#include <algorithm>
#include <charconv>

namespace fermata {

namespace {

/// Nobody's index is overwritten but one that is another's: several who notice the loss together
/// begin one epoch. KEYS: index, fence. ARGV: cluster with colon, epoch, first fence.
constexpr RedisScript begin_script{R"(
local index = redis.call('GET', KEYS[1])
if index and string.sub(index, 1, #ARGV[1]) == ARGV[1] and redis.call('EXISTS', KEYS[2]) == 1 then
  return index
end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2])
redis.call('SET', KEYS[2], ARGV[3])
return ARGV[1] .. ARGV[2]
)"};

/// Epochs are counted in milliseconds since 2020, so that whoever has never seen the lost one still
/// goes beyond it, even when it was lost as soon as it was begun. Fences fit into 63 bits until
/// 2298.
constexpr int64_t epochs_began_ms = 1'577'836'800'000;

}  // namespace

uint64_t RedisIndex::next_epoch() const {
  int64_t by_clock = std::max<int64_t>(clock_.now().ms - epochs_began_ms, 1);
  return std::max(static_cast<uint64_t>(by_clock), epoch_ + 1);
}

Outcome<bool> RedisIndex::renew() {
  uint64_t epoch = next_epoch();
  std::string first_fence = std::to_string(epoch << fence_bits);
  FERMATA_TRY(reply, link_.call(begin_script, {{link_.key(index_name), link_.key(fence_name)},
                                               {mine(), std::to_string(epoch), first_fence}}));
  if (!reply.text.starts_with(mine()))
    return fail(ErrorCode::io_failed, "Redis does not say which index it holds");
  bool other = !known_.empty() && reply.text != known_;
  bool begun = reply.text == mine() + std::to_string(epoch);
  known_ = reply.text;
  std::string_view number = std::string_view(known_).substr(mine().size());
  std::from_chars(number.data(), number.data() + number.size(), epoch_);
  return begun || other;
}

}  // namespace fermata
