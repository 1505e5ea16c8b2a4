#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace fermata::flow {

/// What a parameter or option of the library takes, as far as a literal can be judged by it.
enum class Takes : uint8_t {
  any,
  text,
  name,  ///< a string that is not empty
  number,
  count,     ///< a whole number from 0
  positive,  ///< a whole number from 1
  flag,
  array,
  object,
  function,
  items,     ///< an array or an object
  key,       ///< a string or a number
  duration,  ///< seconds from 0, or duration text
  shift,     ///< the same, negative ones too
  instant,   ///< epoch milliseconds
  until,     ///< an instant, RFC 3339 text, or an object that describes a time
  options,   ///< an object with known keys
};

struct Option {
  std::string_view name;
  Takes takes = Takes::any;
  std::span<const Option> inner{};  ///< of options inside this one
  std::string_view words{};         ///< the words it may be, separated by spaces
};

struct Parameter {
  Takes takes = Takes::any;
  std::span<const Option> options{};
};

struct Signature {
  std::span<const Parameter> parameters;
  bool repeats_last = false;
  bool makes_awaitable = false;
};

/// The signature of a library function that is called by name; nullptr for methods, whose
/// receivers a text does not show.
const Signature* signature_of(uint32_t builtin_number);

}  // namespace fermata::flow
