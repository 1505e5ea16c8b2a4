#include "server/bulk_previews.h"

#include <algorithm>

namespace fermata::server {

void BulkPreviews::make_room(size_t items, Time now) {
  while (!kept_previews_.empty() &&
         (kept_previews_.front().until <= now || items_ + items > items_max_)) {
    items_ -= kept_previews_.front().preview.items.size();
    kept_previews_.pop_front();
  }
}

void BulkPreviews::put(std::string token, BulkPreview preview, Time now) {
  std::lock_guard lock(mutex_);
  make_room(preview.items.size(), now);
  items_ += preview.items.size();
  kept_previews_.push_back({std::move(token), now + kept_, std::move(preview)});
}

std::optional<BulkPreview> BulkPreviews::take(const std::string& token, const AccountId& account,
                                              Time now) {
  std::lock_guard lock(mutex_);
  make_room(0, now);
  auto found = std::find_if(kept_previews_.begin(), kept_previews_.end(), [&](const Kept& kept) {
    return kept.token == token && kept.preview.account == account;
  });
  if (found == kept_previews_.end()) return std::nullopt;
  BulkPreview preview = std::move(found->preview);
  items_ -= preview.items.size();
  kept_previews_.erase(found);
  return preview;
}

}  // namespace fermata::server
