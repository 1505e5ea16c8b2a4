#pragma once
#include <set>
#include <string>
#include <vector>

#include "adapters/postgres/connection.h"

namespace fermata::postgres {

/// One step of a passage, as it lies in the table `passages` for a moment.
struct PassageRow {
  enum class Kind : uint8_t {
    open,     ///< the first one; its bytes say what the passage is for
    bytes,    ///< what is said
    room,     ///< its text is how many bytes more may be said
    finish,   ///< the last one: all was said
    broken,   ///< the last one: the rest is lost
    refused,  ///< the last one: it was not taken
  };
  std::string receiver;
  std::string sender;
  uint64_t number = 0;
  uint64_t sequence = 0;
  Kind kind = Kind::bytes;
  std::string bytes;
};

/// The channel on which a receiver hears that something lies there for it.
std::string passage_channel(std::string_view schema, std::string_view receiver);
/// Puts rows there and wakes who is to read them. Rows that lie there already stay as they are.
Outcome<void> put_passage_rows(Connection& connection, std::string_view schema,
                               const std::vector<PassageRow>& rows);
/// Takes the oldest rows of each passage, at most so many; taking removes them.
Outcome<std::vector<PassageRow>> take_passage_rows(Connection& connection,
                                                   std::string_view receiver, size_t most);
/// Takes back what lies there from this sender. Answers the numbers of passages that were still to
/// be begun: taking is removing, so the receiver has heard nothing of them.
Outcome<std::set<uint64_t>> withdraw_passage_rows(Connection& connection, std::string_view receiver,
                                                  std::string_view sender);
/// Those that nobody will read: of receivers that are neither leader nor seen lately.
Outcome<void> sweep_passage_rows(Connection& connection);

}  // namespace fermata::postgres
