#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "core/model/contact.h"
#include "core/model/summary.h"

/// The life of a contact: what commands make of it, and what follows for its runs (W-25 to W-28).
namespace fermata::contact {

/// What is known of it is replaced (PUT), or what is named is (PATCH).
struct PutContact {
  bool replaces = true;
  std::optional<std::string> timezone;
  std::optional<std::string> phone;
  std::optional<std::string> email;
  Value fields;  ///< an object; with PATCH members take the place of members, null takes one away
  Value labels;
  std::optional<uint64_t> if_version;  ///< If-Match; 0 means it must not exist
};
struct OptOut {
  WorkflowId workflow;  ///< empty: of everything
  std::string reason;
};
struct OptIn {
  WorkflowId workflow;
};
struct DeleteContact {
  std::string reason;
};
/// Its runs of one workflow end; it may take part again later.
struct RemoveFromWorkflow {
  WorkflowId workflow;
  std::string reason;
};
/// A run names it: it is made if it is not there.
struct Mention {};

using Body = std::variant<PutContact, OptOut, OptIn, DeleteContact, RemoveFromWorkflow, Mention>;
struct Command {
  ContactKey key;
  Body body;
  std::string actor = "engine";
};

/// Which live runs of the contact end, and why.
struct EndRuns {
  WorkflowId workflow;  ///< empty: all of them
  std::string exit_reason;
};
struct Decision {
  bool changed = false;  ///< the contact is to be written
  bool created = false;
  bool followed = false;  ///< its fields have changed: waits may follow one (W-42)
  std::optional<EndRuns> ends{};
  std::vector<AuditLine> audit{};
};

/// Changes the contact (version 0: there is none) and says what follows. A refusal changes nothing.
Outcome<Decision> decide(Contact& contact, const Command& command, Instant now);

}  // namespace fermata::contact
