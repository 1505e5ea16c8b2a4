#include <algorithm>

#include "base/json.h"
#include "core/fleet/worker.h"
#include "core/job/request.h"
#include "front/pool_board.h"

/// Changes of pools that somebody asks for.
namespace fermata::front {

namespace {

Value part_of(const Value& document, std::string_view part) {
  return document.get(part).is_object() ? document.get(part) : Value::object();
}

std::vector<std::string> names_in(const Value& object) {
  std::vector<std::string> names;
  if (object.is_object())
    for (const Value::Member& member : object.members()) names.emplace_back(member.key.as_string());
  return names;
}

Failure<Error> no_pool(const std::string& name) {
  return fail(ErrorCode::value_not_found, "There is no pool `" + name + "`.");
}

/// Texts of the pools a topic is mapped to.
std::vector<std::string> mapped_of(const Value& topics, const std::string& topic) {
  const Value& mapped = topics.get(topic);
  std::vector<std::string> out;
  if (mapped.is_string()) out.emplace_back(mapped.as_string());
  if (mapped.is_array())
    for (const Value& one : mapped.items()) out.emplace_back(one.as_string());
  return out;
}

/// Mistakes of the caller's words by their place in these, others by their place in the document.
void shorten(std::vector<Finding>& findings, const std::string& within) {
  for (Finding& finding : findings)
    if (!within.empty() && finding.path.starts_with(within))
      finding.path = finding.path.substr(within.size());
}

}  // namespace

bool PoolBoard::file_names(std::string_view part, const std::string& name) const {
  const Value& found = stored_.file.get(part);
  if (name.empty()) return stored_.file.find(part) != nullptr;
  if (!found.is_object()) return false;
  if (part != "topics") return found.find(name) != nullptr;
  std::vector<std::string> names = names_in(found);
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& topic) { return job::full_topic(topic) == name; });
}

Outcome<void> PoolBoard::not_of_file(std::string_view part, const std::string& name) const {
  if (!stored_.file.is_object() || !file_names(part, name)) return {};
  return fail(ErrorCode::managed_by_file, (name.empty() ? std::string(part) : "`" + name + "`") +
                                              " stands in " + options_.file);
}

Outcome<void> PoolBoard::expect(std::optional<uint64_t> if_revision) const {
  if (!if_revision || *if_revision == stored_.revision) return {};
  return fail(ErrorCode::version_conflict,
              "the pools are at revision " + std::to_string(stored_.revision));
}

Outcome<void> PoolBoard::change(const Edit& edit, const std::string& within,
                                const std::string& action, const Actor& who) {
  StoredPools next = stored_;
  if (!next.api.is_object()) next.api = Value::object({{"version", 1}});
  FERMATA_TRY_VOID(edit(next.api));
  std::vector<Finding> findings =
      fleet::read_pools(next.api, names_in(stored_.file.get("pools"))).findings;
  if (!findings.empty()) {
    shorten(findings, within);
    std::string first = findings[0].path + ": " + findings[0].message;
    return fail(ErrorCode::invalid_field, std::move(first), std::move(findings));
  }
  next.by = who.actor;
  return apply(std::move(next), "api",
               {who.account, clock_.now(), who.actor, action, "pools", "", Value()});
}

Outcome<void> PoolBoard::put_pool(const std::string& name, const Value& pool,
                                  std::optional<uint64_t> if_revision, const Actor& who) {
  std::lock_guard lock(mutex_);
  FERMATA_TRY_VOID(not_of_file("pools", name));
  FERMATA_TRY_VOID(expect(if_revision));
  auto edit = [&](Value& document) -> Outcome<void> {
    Value pools = part_of(document, "pools");
    pools.set(name, pool.is_null() ? Value::object() : pool);
    document.set("pools", std::move(pools));
    return {};
  };
  return change(edit, "/pools/" + escape_pointer(name), "pools.put " + name, who);
}

Outcome<void> PoolBoard::remove_pool(const std::string& name, std::optional<uint64_t> if_revision,
                                     const Actor& who) {
  std::lock_guard lock(mutex_);
  FERMATA_TRY_VOID(not_of_file("pools", name));
  FERMATA_TRY_VOID(expect(if_revision));
  auto edit = [&](Value& document) -> Outcome<void> {
    Value pools = part_of(document, "pools");
    if (!pools.find(name)) return no_pool(name);
    Value topics = part_of(document, "topics");
    for (const std::string& topic : names_in(topics)) {
      std::vector<std::string> mapped = mapped_of(topics, topic);
      if (std::find(mapped.begin(), mapped.end(), name) != mapped.end())
        return fail(ErrorCode::wrong_state,
                    "`" + topic + "` is mapped to the pool; take that away first");
    }
    pools.erase(name);
    document.set("pools", std::move(pools));
    return {};
  };
  return change(edit, "", "pools.remove " + name, who);
}

Outcome<void> PoolBoard::map_topic(const std::string& pool, const std::string& topic_name, bool on,
                                   const Actor& who) {
  std::lock_guard lock(mutex_);
  std::string topic = topic_name == "*" ? "job.*" : job::full_topic(topic_name);
  FERMATA_TRY_VOID(not_of_file("topics", topic));
  if (!current_->pools.contains(pool) && pool != fleet::default_pool) return no_pool(pool);
  auto edit = [&](Value& document) -> Outcome<void> {
    Value topics = part_of(document, "topics");
    std::vector<std::string> mapped = mapped_of(topics, topic);
    auto found = std::find(mapped.begin(), mapped.end(), pool);
    if (on && found == mapped.end()) mapped.push_back(pool);
    if (!on && found == mapped.end())
      return fail(ErrorCode::value_not_found,
                  "`" + topic + "` is not mapped to the pool `" + pool + "`.");
    if (!on) mapped.erase(found);
    Value list = Value::array();
    for (const std::string& one : mapped) list.push(one);
    if (mapped.empty()) {
      topics.erase(topic);
    } else {
      topics.set(topic, std::move(list));
    }
    document.set("topics", std::move(topics));
    return {};
  };
  return change(edit, "/topics", (on ? "pools.map " : "pools.unmap ") + topic, who);
}

Outcome<void> PoolBoard::set_status(const std::string& name, fleet::PoolStatus status,
                                    std::optional<Instant> until, const Actor& who) {
  std::lock_guard lock(mutex_);
  FERMATA_TRY_VOID(not_of_file("pools", name));
  auto edit = [&](Value& document) -> Outcome<void> {
    Value pools = part_of(document, "pools");
    if (!pools.find(name) && name != fleet::default_pool) return no_pool(name);
    Value pool = part_of(pools, name);
    pool.set("status", fleet::name_of(status));
    pool.erase("drain_until");
    if (until) pool.set("drain_until", to_rfc3339(*until));
    pools.set(name, std::move(pool));
    document.set("pools", std::move(pools));
    return {};
  };
  return change(edit, "", "pools.status " + name + " " + std::string(fleet::name_of(status)), who);
}

Outcome<void> PoolBoard::put_limits(const Value& limits, std::optional<uint64_t> if_revision,
                                    const Actor& who) {
  std::lock_guard lock(mutex_);
  FERMATA_TRY_VOID(not_of_file("limits", ""));
  FERMATA_TRY_VOID(expect(if_revision));
  auto edit = [&](Value& document) -> Outcome<void> {
    document.set("limits", limits);
    return {};
  };
  return change(edit, "/limits", "pools.limits", who);
}

}  // namespace fermata::front
