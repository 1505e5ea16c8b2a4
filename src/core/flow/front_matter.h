#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "core/flow/issues.h"

namespace fermata::flow {

/// What a script says about itself between two lines of three backquotes, before anything else
/// (F-4). Lines with other keys are kept in the source and ignored.
struct FrontMatter {
  bool rhythm = false;  ///< `compat: rhythm`
  bool strict = false;  ///< warnings count as errors
  std::string description;
  std::optional<Duration> timeout;  ///< of the run, unless its start says otherwise
  bool rolls_back = false;          ///< `on_failure: rollback` (J-73)
  size_t end = 0;                   ///< where the script itself begins
};

FrontMatter read_front_matter(std::string_view text, Issues& issues);

}  // namespace fermata::flow
