#pragma once
#include "cli/command.h"

namespace fermata::cli {

/// `fermata schedule ACTION …` against a server: create, ls, show, pause, resume, trigger,
/// backfill and delete.
Exit schedule_on_server(const std::string& action, const Arguments& arguments,
                        Surroundings& around);
/// The names of these actions.
std::span<const std::string_view> schedule_actions();

}  // namespace fermata::cli
