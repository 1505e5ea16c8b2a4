#pragma once
#include <iostream>
#include <sstream>
#include <string>

namespace fermata::sim {

/// What a replay prints; costs nothing in a campaign.
class Trace {
 public:
  explicit Trace(bool on) : on_(on) {}
  bool on() const { return on_; }
  template <class... Part>
  void line(const Part&... parts) const {
    if (!on_) return;
    std::ostringstream out;
    (out << ... << parts);
    std::cout << out.str() << '\n';
  }

 private:
  bool on_;
};

}  // namespace fermata::sim
