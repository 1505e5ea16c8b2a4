#pragma once
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/settings.h"
#include "front/vault.h"

namespace fermata::cli {

/// The actions of `fermata credentials` on a data directory that no server uses, answering as the
/// server would.
class OfflineCredentials {
 public:
  static Outcome<OfflineCredentials> open(const Settings& settings, const Arguments& arguments,
                                          Surroundings& around);

  Outcome<Value> list();
  Outcome<Value> set(const std::string& id, const Value& body);
  Outcome<Value> revoke(const std::string& id, const std::string& reason);
  Outcome<Value> remove(const std::string& id);
  Outcome<Value> reseal();
  Outcome<std::string> type_of(const std::string& id);

 private:
  AuditLine audit(std::string action, const std::string& id, std::string reason) const;

  std::unique_ptr<OpenStore> store_;
  std::unique_ptr<front::Vault> vault_;
  AccountId account_;
  Instant now_;
  size_t bytes_max_ = 0;
};

}  // namespace fermata::cli
