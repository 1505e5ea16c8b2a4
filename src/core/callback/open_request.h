#pragma once
#include "base/error.h"
#include "core/model/command.h"

/// The body that asks for a wait: sent to the API, or answered to a callback (W-11, W-75).
namespace fermata::callback {

constexpr size_t metadata_bytes_max = 4'096;
constexpr size_t config_bytes_max = 65'536;
constexpr size_t url_bytes_max = 2'048;

struct OpenRequest {
  OpenWait open;
  bool registers = false;  ///< makes workflow and execution where they are missing (W-71)
};
/// Every mistake is found; the code is that of the first.
Outcome<OpenRequest> read_open_request(const Value& body);

/// `{url, credentials?}` as the API takes it: what is wrong with it, paths beginning with `path`.
std::vector<Finding> check_callback(const Value& callback, const std::string& path);
/// What a request gives as the configuration of a wait is kept with it, so it has a bound.
std::vector<Finding> check_config_size(const Value& config);
/// An object of at most so many bytes.
std::vector<Finding> check_metadata(const Value& metadata);

/// What the receiver of a callback answers with its 2xx: `{"next": …}` or `{"complete": …}`.
/// Nothing when it asks for neither.
std::optional<TakeAnswer> read_answer(const std::string& step, std::string_view body);

}  // namespace fermata::callback
