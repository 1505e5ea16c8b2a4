#pragma once

namespace fermata::server {

class Api;

/// Reads from the store what the server remembers of the time before it started: the runs of the
/// last day for its measures, live runs and open jobs for its agenda. In the background, a page at
/// a time; each has a limit, and what is left out is told by who shows it.
void look_back(Api& api);

}  // namespace fermata::server
