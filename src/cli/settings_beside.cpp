#include "cli/settings_beside.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace fermata::cli {
namespace {

bool is_nats(std::string_view address) {
  return address.starts_with("nats://") || address.starts_with("tls://");
}
bool is_amqp(std::string_view address) {
  return address.starts_with("amqp://") || address.starts_with("amqps://");
}

std::string addresses_of(const Settings& settings, bool (*kind)(std::string_view)) {
  std::string out;
  for (const std::string& url : listed(settings.bus))
    if (kind(url)) out += (out.empty() ? "" : ",") + url;
  return out;
}

/// A place of Redis, also one that will be refused with a reason of its own.
bool is_redis(std::string_view address) {
  return address.starts_with("redis://") || address.starts_with("rediss://") ||
         address.starts_with("redis+sentinel://");
}

/// Of Redis.
std::string complaint_about_index(std::string_view name, const Settings& settings) {
  for (auto [port, value] :
       {std::pair("timers", settings.timers), std::pair("leases", settings.leases)})
    if (name == port && value != "store" && !is_redis(value)) return "`store` or `redis://…`";
  if (name == "gather" && settings.gather != "store")
    return "`store`: this build counts arrivals in the store alone";
  if (name == "redis_checks" && !is_one_of(settings.redis_checks, {"refuse", "warn"}))
    return "`refuse` or `warn`";
  if (name == "redis_payloads" && !is_one_of(settings.redis_payloads, {"slim", "full"}))
    return "`slim` or `full`";
  if (name == "redis_cluster" && settings.redis_cluster.find_first_of(": ") != std::string::npos)
    return "a name without colon and space";
  if (name == "redis_mirror")
    for (const std::string& mirror : listed(settings.redis_mirror))
      if (!is_one_of(mirror, {"waits", "delays", "barriers"}))
        return "`waits`, `delays` and `barriers`, separated by commas";
  return "";
}

/// Words of subjects, joined by dots. Those that the protocol begins with would lie in the streams
/// of others.
bool is_subject_prefix(std::string_view text) {
  while (true) {
    std::string_view word = text.substr(0, text.find('.'));
    bool plain = !word.empty() && word.size() <= 64 &&
                 std::all_of(word.begin(), word.end(), [](unsigned char c) {
                   return std::isalnum(c) != 0 || c == '-' || c == '_';
                 });
    if (!plain || is_one_of(word, {"sys", "job", "worker"})) return false;
    if (word.size() == text.size()) return true;
    text.remove_prefix(word.size() + 1);
  }
}

std::string complaint_about_accounts(const Settings& settings) {
  std::set<std::string> accounts{settings.nats_account}, prefixes;
  if (listed(settings.nats_accounts).size() > wire_accounts_max)
    return std::to_string(wire_accounts_max) + " accounts at most";
  for (const std::string& pair : listed(settings.nats_accounts)) {
    size_t sign = pair.find('=');
    std::string account = pair.substr(0, sign);
    bool whole = sign != std::string::npos && !account.empty();
    if (!whole || !is_subject_prefix(std::string_view(pair).substr(sign + 1)))
      return "`ACCOUNT=PREFIX`, separated by commas; a prefix is words of letters, digits, - and _ "
             "joined by dots, none of them sys, job or worker";
    if (!accounts.insert(account).second || !prefixes.insert(pair.substr(sign + 1)).second)
      return "each account and each prefix once, and not the account of nats_account";
  }
  return "";
}

/// Of brokers.
std::string complaint_about_bus(std::string_view name, const Settings& settings) {
  if (name == "bus" && !settings.bus.empty())
    for (const std::string& url : listed(settings.bus))
      if (!is_nats(url) && !is_amqp(url))
        return "addresses that begin with amqp://, amqps://, nats:// or tls://, separated by "
               "commas";
  if (name == "payloads" && settings.payloads != "http" && !is_redis(settings.payloads))
    return "`http` or `redis://…`";
  if (name == "nats_accounts") return complaint_about_accounts(settings);
  if (name == "nats_signatures" &&
      !is_one_of(settings.nats_signatures, {"off", "verify", "require"}))
    return "`off`, `verify` or `require`";
  if (name == "rabbitmq_queue_type" &&
      !is_one_of(settings.rabbitmq_queue_type, {"quorum", "classic"}))
    return "`quorum` or `classic`";
  if (name == "rabbitmq_execution" && !is_one_of(settings.rabbitmq_execution, {"direct", "hops"}))
    return "`direct` or `hops`";
  return "";
}

}  // namespace

bool is_one_of(std::string_view value, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), value) != choices.end();
}

std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

std::string complaint_about_beside(std::string_view name, const Settings& settings) {
  std::string complaint = complaint_about_index(name, settings);
  return complaint.empty() ? complaint_about_bus(name, settings) : complaint;
}

std::vector<WireAccount> wire_accounts(const Settings& settings) {
  std::vector<WireAccount> out{{settings.nats_account, ""}};
  for (const std::string& pair : listed(settings.nats_accounts)) {
    size_t sign = pair.find('=');
    out.push_back({pair.substr(0, sign), pair.substr(sign + 1) + "."});
  }
  return out;
}

std::string nats_addresses(const Settings& settings) { return addresses_of(settings, is_nats); }
std::string amqp_addresses(const Settings& settings) { return addresses_of(settings, is_amqp); }

}  // namespace fermata::cli
