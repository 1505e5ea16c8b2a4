#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/flow/durable/activation.h"
#include "core/flow/library_call.h"

namespace fermata::flow {

/// The options of a call that waits or acts, as JSON. Unknown ones and wrong types throw
/// WRONG_ARG_TYPE; ask `failed` before using what was read.
class Options {
 public:
  Options(Machine& machine, const Datum& given, std::string_view call,
          std::initializer_list<std::string_view> known);

  bool failed() const { return machine_.stopped(); }
  bool has(std::string_view name) const { return value_.find(name) != nullptr; }
  const Value& all() const { return value_; }
  const Value& get(std::string_view name) const { return value_.get(name); }

  // Each checks what is there; an option that is absent or null passes.
  void text(std::string_view name);
  void whole(std::string_view name, int64_t least);
  void object(std::string_view name, std::initializer_list<std::string_view> known = {});
  void one_of(std::string_view name, std::initializer_list<std::string_view> words);
  bool flag(std::string_view name);
  /// Seconds or duration text, as `Task.delay` takes it.
  std::optional<Duration> duration(std::string_view name);
  OnParentEnd on_parent_end();
  /// The same option under another name.
  void rename(std::string_view from, std::string_view to);

 private:
  void wrong(std::string_view name, std::string_view expected);

  Machine& machine_;
  std::string call_;
  Value value_ = Value::object();
};

/// Reads a duration (F-32); throws WRONG_ARG_TYPE in the machine.
Duration read_delay(Machine& machine, const Value& given, std::string_view what);

}  // namespace fermata::flow
