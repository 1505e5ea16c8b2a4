#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fermata::cli {

/// A shell command that does one job: the input on its standard input, the output on its standard
/// output (J-68).
struct TaskOrder {
  std::string command;
  std::string input;
  std::vector<std::string> environment;  ///< `NAME=value`, all of it
  size_t output_bytes_max = 4 << 20;
};
struct TaskEnd {
  int exit_code = 0;  ///< 128 and more: ended by a signal
  std::string output;
  bool too_large = false;  ///< the output went on beyond the limit
  std::string last_words;  ///< the last line of standard error
};

/// Runs the command to its end on the calling thread. When `cancelled` becomes true it is asked to
/// stop by SIGTERM and, ten seconds later, made to by SIGKILL, with all it has started. Lines of
/// standard error go to `on_line`. Fails with io_failed when it cannot be started.
Outcome<TaskEnd> run_task(const TaskOrder& order, const std::atomic<bool>& cancelled,
                          const std::function<void(std::string_view)>& on_line);

}  // namespace fermata::cli
