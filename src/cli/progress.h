#pragma once
#include <string>

#include "base/value.h"
#include "cli/terminal.h"

namespace fermata::cli {

/// Shows the life of a run line by line on standard error, from the records of its stream (G-102):
/// one line for each change of a node, and on a terminal a last line that is rewritten in place.
class Progress {
 public:
  /// With `json` each record is printed as a line of JSON on standard output instead.
  Progress(const Terminal& terminal, bool json) : terminal_(terminal), json_(json) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `kind` is node, run or progress.
  void show(std::string_view kind, const Value& record);
  /// A line of a `log` node.
  void say(std::string_view level, std::string_view message);
  /// Takes the rewritten line away.
  void clear();

 private:
  void show_node(const Value& record);
  void show_run(const Value& record);
  void show_items(const Value& record);

  const Terminal& terminal_;
  const bool json_;
  bool status_shown_ = false;
  std::string last_running_;  ///< a node that starts and then calls is running only once
};

/// "half a bar": `####------`.
std::string bar(uint64_t done, uint64_t total, size_t columns);
/// What a node's record says beyond its status, in a few words.
std::string node_remark(const Value& record);

}  // namespace fermata::cli
