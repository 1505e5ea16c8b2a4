#pragma once
#include "core/flow/resolver.h"

namespace fermata::flow {

/// Opens a scope for the length of a rule. Its slots are free for others afterwards.
class Resolver::Opened {
 public:
  Opened(Resolver& resolver, FunctionScope& function)
      : resolver_(resolver), scope_{resolver.scope_, &function, function.slots_used, {}} {
    resolver.scope_ = &scope_;
  }
  explicit Opened(Resolver& resolver) : Opened(resolver, *resolver.scope_->function) {}
  ~Opened() {
    scope_.function->slots_used = scope_.slots_before;
    resolver_.scope_ = scope_.parent;
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

 private:
  Resolver& resolver_;
  Scope scope_;
};

/// Counts the loops and switches around a statement.
class Breakable {
 public:
  Breakable(int& loops, int& breakables, bool loop)
      : loops_(loops), breakables_(breakables), loop_(loop) {
    ++breakables;
    loops += loop;
  }
  ~Breakable() {
    --breakables_;
    loops_ -= loop_;
  }
  Breakable(const Breakable&) = delete;
  Breakable& operator=(const Breakable&) = delete;

 private:
  int& loops_;
  int& breakables_;
  bool loop_;
};

}  // namespace fermata::flow
