#pragma once
#include <functional>
#include <string>
#include <thread>

namespace fermata {

/// Calls `on_change`, on a thread of its own, when the file may have changed: told by the kernel
/// where it can tell (inotify on the file's folder, so that a file that is put in place of another
/// is seen too), and in any case every 30 s. Nothing is promised about how often.
class SystemFileWatch {
 public:
  SystemFileWatch(const std::string& file, std::function<void()> on_change);
  ~SystemFileWatch();
  SystemFileWatch(const SystemFileWatch&) = delete;
  SystemFileWatch& operator=(const SystemFileWatch&) = delete;

 private:
  void run();
  /// True when one of the notices that have come is about the file.
  bool is_ours();

  const std::string name_;  ///< of the file within its folder
  const std::function<void()> on_change_;
  int notices_ = -1;
  int stop_ = -1;
  std::thread thread_;
};

}  // namespace fermata
