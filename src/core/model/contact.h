#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "base/value.h"

/// A person or thing outside that runs are about (W-25). It lives inside an account.
namespace fermata {

struct ContactKey {
  AccountId account;
  std::string id;
  auto operator<=>(const ContactKey&) const = default;
};

struct Contact {
  static constexpr bool extensible = true;
  AccountId account;
  std::string id;
  std::string timezone;  ///< as given; one that nobody knows is kept and counts as missing (R10)
  std::string phone;     ///< as given; it is found by `phone_key`
  std::string email;     ///< as given; it is found by `email_key`
  Value fields;          ///< an object, or null
  Value labels;          ///< an object of texts, or null
  std::optional<Instant> opted_out_at;  ///< of everything
  std::string opt_out_reason;
  std::vector<std::string> opted_out_of;  ///< workflows, while not of everything
  /// Erased: nothing but its id is left, and nobody is shown it. A run that names it, or a PUT,
  /// makes it anew.
  std::optional<Instant> deleted_at;
  Instant created_at;
  Instant updated_at;
  uint64_t version = 0;  ///< 0: it does not exist; the ETag
  bool operator==(const Contact&) const = default;

  ContactKey key() const { return {account, id}; }
  bool exists() const { return version > 0 && !deleted_at; }
  /// True when no run of the workflow may be about it.
  bool is_out_of(const WorkflowId& workflow) const;

  template <class V> void each(V&& v) {
    v("account_id", account); v("id", id); v("timezone", timezone); v("phone", phone);
    v("email", email); v("fields", fields); v("labels", labels); v("opted_out_at", opted_out_at);
    v("opt_out_reason", opt_out_reason); v("opted_out_of", opted_out_of);
    v("deleted_at", deleted_at); v("created_at", created_at); v("updated_at", updated_at);
    v("version", version);
  }
};

/// What telephone numbers that mean the same have in common (W-52): digits behind a leading `+`,
/// which `00` also means. Empty when there is no digit in it.
std::string phone_key(std::string_view phone);
/// The same of addresses of mail: letters of ASCII in lower case, without space around them.
std::string email_key(std::string_view email);

}  // namespace fermata
