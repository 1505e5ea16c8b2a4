#pragma once
#include <string>
#include <variant>

#include "core/model/command.h"
#include "ports/bus.h"

namespace fermata {

/// A message means this command, to be taken once.
struct Understood {
  Command command;
  std::string mark;
};
/// It means nothing to us, now and later: people should see it.
struct Unusable {
  std::string reason;  ///< a word, such as `not_json`
  std::string detail;
  RunId run{};
};
/// There is nothing to do any more.
struct NothingToDo {
  std::string why;  ///< a word, such as `duplicate`
};
/// It cannot be said now.
struct NotNow {
  Error error;
};
using Reading = std::variant<Understood, Unusable, NothingToDo, NotNow>;

/// Reads messages of other programs. May ask the store; used by one thread.
class Interpreter {
 public:
  virtual ~Interpreter() = default;
  virtual Reading read(const BusDelivery& delivery) = 0;
  /// What it means that the engine refused the command for this reason.
  virtual Reading refused(const BusDelivery& delivery, const Error& error) = 0;
};

}  // namespace fermata
