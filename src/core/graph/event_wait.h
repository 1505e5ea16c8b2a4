#pragma once
#include "core/run/step.h"
#include "core/wait/for_event.h"

namespace fermata::graph {

/// One listener for each event that a configuration names, in its order.
std::vector<Listener> listeners_of(const waits::ForEvent& config, waits::EventScope scope,
                                   Instant window_start, const std::string& phone);

/// In the form that signals are compared by, or empty.
std::string phone_of(const Contact* contact);
/// What there is to say about a window that begins before the oldest signal that is kept: null, or
/// an object for `intent` with a list of warnings (W-56).
Value told_of_window(const Step& step, const waits::ForEvent& config);

void start_event_wait(Step& step, TokenId id, const Value& parameters);
/// A listener of the wait at which the token stands has heard the signal; that ends the wait unless
/// it needs others too.
void take_event(Step& step, TokenId id, size_t listener, const Signal& signal);
void time_out_event_wait(Step& step, TokenId id);
void resume_event_by_hand(Step& step, TokenId id, const Value& event, std::vector<EdgeIndex> edges);

}  // namespace fermata::graph
