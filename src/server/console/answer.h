#pragma once
#include <optional>

#include "server/console/files.h"
#include "server/http/message.h"

namespace fermata::server {

/// The console's answer to a request that no route takes: one of its files, or its page for every
/// address that could be one of its pages, so that links into it work (U-2). Nothing when the
/// request is none of the console's business or there are no files.
std::optional<http::Response> console_answer(const http::Request& request,
                                             const ConsoleFiles& files);

}  // namespace fermata::server
