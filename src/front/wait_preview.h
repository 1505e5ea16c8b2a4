#pragma once
#include <functional>
#include <optional>

#include "base/error.h"
#include "base/value.h"
#include "core/model/account_settings.h"
#include "core/model/contact.h"

namespace fermata::front {

constexpr int64_t preview_waits_max = 20;

/// What a preview may know besides the request.
struct PreviewGiven {
  const ZoneTable& zones;
  Instant now;
  std::shared_ptr<const AccountSettings> account = nullptr;  ///< none: the defaults
  /// The contact with an id; empty: there are none.
  std::function<Outcome<std::optional<Contact>>(const std::string&)> contact = {};
};

/// `POST /waits/preview` (W-22): when a configuration would resume, by the rules of waits.md
/// section 4; `next` has that instant and those that would follow it.
Outcome<Value> preview_wait(const Value& body, const PreviewGiven& given);

}  // namespace fermata::front
