#pragma once
#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace fermata {

/// A name for one kind of thing; ids of different kinds do not mix.
template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  auto operator<=>(const Id&) const = default;

 private:
  std::string text_;
};

using RunId = Id<struct RunTag>;
using JobId = Id<struct JobTag>;
using ScheduleId = Id<struct ScheduleTag>;
using AccountId = Id<struct AccountTag>;
using WorkflowId = Id<struct WorkflowTag>;
using DefinitionHash = Id<struct DefinitionTag>;  ///< hex SHA-256 of the canonical form
using JobId = Id<struct JobTag>;
using WorkerId = Id<struct WorkerTag>;
using RegistrationId = Id<struct RegistrationTag>;  ///< one life of a worker's connection

}  // namespace fermata

template <class Tag>
struct std::hash<fermata::Id<Tag>> {
  size_t operator()(const fermata::Id<Tag>& id) const {
    return std::hash<std::string>{}(id.text());
  }
};
