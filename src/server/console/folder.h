#pragma once
#include <optional>
#include <string>

#include "server/http/message.h"

namespace fermata::server {

/// The console from a folder on disk instead of the program's own (`--console-dir`), read anew for
/// every request: for those who work on it. As `console_answer`; a folder without index.html
/// answers nothing.
std::optional<http::Response> folder_answer(const http::Request& request,
                                            const std::string& folder);

/// Which console the folder holds: changes with it. Empty without index.html.
std::string folder_tag(const std::string& folder);

}  // namespace fermata::server
