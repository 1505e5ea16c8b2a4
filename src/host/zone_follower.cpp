#include "host/zone_follower.h"

namespace fermata {
namespace {

constexpr Duration failed_page_delay{1'000};
constexpr size_t accounts_told_max = 10'000;

}  // namespace

bool ZoneFollower::tells(const AccountId& account) {
  return told_.size() < accounts_told_max && told_.insert(account).second;
}

std::vector<RunId> ZoneFollower::next(const ZoneTable& zones, uint64_t decided, uint64_t landed,
                                      Instant now, size_t most) {
  if (seen_ != zones.version()) {
    before_ = std::exchange(seen_, zones.version());
    told_.clear();
    cursor_ = RunId();
    begins_after_ = decided;
    try_again_at_.reset();
  }
  more_ = false;
  if (followed_ == seen_ || landed < begins_after_ || most == 0) return {};
  if (try_again_at_ && now < *try_again_at_) return {};
  try_again_at_.reset();
  auto page = store_.runs_of_other_zones(seen_, cursor_, most);
  if (!page) {
    try_again_at_ = now + failed_page_delay;
    return {};
  }
  if (page->empty()) {
    followed_ = seen_;
    return {};
  }
  cursor_ = page->back();
  more_ = true;
  return *std::move(page);
}

}  // namespace fermata
