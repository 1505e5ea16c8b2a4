#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "base/value.h"
#include "core/model/call.h"

namespace fermata {

/// Where mails go and how one logs in there.
struct MailServer {
  std::string host;
  std::string port;
  std::string username;  ///< empty: without a login
  std::string password;
  bool plain = false;  ///< never encrypted, not even the login: for a relay on a trusted network
};

/// What a credential adds to one request on its way out. It exists only there: neither the request
/// as the core knows it nor the answer that comes back holds any of it.
struct CallSecrets {
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::pair<std::string, std::string>> query;
  /// Texts that an answer must not repeat, in every form a server may echo them.
  std::vector<std::string> hidden;
  std::vector<std::string> signing{};       ///< what a callback is signed with, each alone
  std::optional<MailServer> mail_server{};  ///< of a mail, which takes nothing else
};

/// Why there are none; becomes the error of the call.
struct SecretsRefusal {
  std::string error;  ///< credential_missing or credential_unreadable
  std::string message;
};

/// Looks up what {"id"} or {"name"} stands for at this moment. Called from any thread.
using FindSecrets =
    std::function<Result<CallSecrets, SecretsRefusal>(const AccountId&, const Value& credentials)>;

}  // namespace fermata
