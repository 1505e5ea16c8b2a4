#pragma once
#include "core/run/step.h"

/// Nodes whose work another root does: job (G-34), subworkflow (G-35), signal (G-36). The token is
/// parked until that root reports.
namespace fermata::graph {

void start_job(Step& step, TokenId id, Value parameters);
void start_child(Step& step, TokenId id, Value parameters);
void send_signal(Step& step, TokenId id, Value parameters);

/// Of a signal that goes to whoever has it: `key=value`.
struct Label {
  std::string key;
  std::string value;
};
std::optional<Label> label_in(std::string_view text);

void take_job_end(Step& step, TokenId id, const SettleJob& end);
void take_child_end(Step& step, TokenId id, const SettleChild& end);
void take_signal_fate(Step& step, TokenId id, const SettleSignal& fate);

/// The token's work is no longer wanted.
void stop_order(Step& step, TokenId id);
/// Orders everything anew that the state says is under way: a run that took over another's state.
void repeat_orders(Step& step);

/// The token that an order's reference names, if it is still parked there.
std::optional<TokenId> token_of_order(const Run& run, std::string_view ref, Parked parked);
/// `<run id>.<token>`: a token stands for one activation, so a repeated decision orders the same.
JobId job_id_of(const Run& run, TokenId id);
RunId child_id_of(const Run& run, TokenId id);

}  // namespace fermata::graph
