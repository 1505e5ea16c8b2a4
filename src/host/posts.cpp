#include <set>

#include "base/check.h"
#include "base/hash.h"
#include "host/partition.h"

/// Messages between runs. They are decided in the turn in which they were sent, and the decisions
/// they connect are durable together or not at all: nothing between runs is lost or done twice.
namespace fermata {

namespace {

std::string name_of(const RunId& run) { return "execution " + run.text(); }

/// The error object that a refused order leaves behind.
Value told(const Error& error) {
  return Value::object({{"code", name_of(error.code)}, {"message", error.message}});
}

Item posted(const RunId& to, CommandBody body, const RunId& from) {
  Item item{{to, std::move(body), name_of(from)}, {}};
  item.posted = true;
  return item;
}

size_t pending_waits(const Run& run) {
  size_t count = 0;
  for (const auto& [key, wait] : run.waits) count += is_pending(wait.status) ? 1 : 0;
  return count;
}

StartRun start_of(OrderRun& order, FoundWorkflow found) {
  StartRun start;
  start.account = order.account;
  start.workflow = order.workflow;
  start.workflow_version = found.version;
  start.definition = std::move(found.definition);
  start.trigger = order.input;
  start.input = std::move(order.input);
  start.trigger_kind = "subworkflow";
  start.labels = std::move(order.labels);
  start.contact_id = std::move(order.contact_id);
  start.timeout_ms = order.timeout_ms;
  // The id names one step of one run, so there is only one such request.
  start.request_hash = sha256_hex("order\n" + order.run.text());
  start.parent = order.parent;
  start.parent_ref = std::move(order.parent_ref);
  start.depth = order.depth;
  start.trace = std::move(order.trace);
  start.on_behalf_of = std::move(order.on_behalf_of);
  start.key = std::move(order.key);
  start.waits_its_turn = true;
  return start;
}

}  // namespace

std::optional<Posted> Host::Partition::addressed(Post post, const RunId& from) {
  if (auto* order = std::get_if<OrderRun>(&post)) {
    auto found = ports_.definitions.workflow(order->account, order->workflow, order->version);
    if (found) return Posted{posted(order->run, start_of(*order, *std::move(found)), from), 0, {}};
    if (order->parent_ref.empty()) return std::nullopt;
    SettleChild refused{order->parent_ref,
                        order->run,
                        "",
                        {},
                        told(found.error()),
                        std::string(name_of(found.error().code))};
    return Posted{posted(order->parent, std::move(refused), from), 0, {}};
  }
  if (auto* stop = std::get_if<StopRun>(&post))
    return Posted{posted(stop->run, CancelRun{std::move(stop->reason)}, from), 0, {}};
  if (auto* report = std::get_if<ReportRun>(&post)) {
    SettleChild settle{std::move(report->ref),    std::move(report->child),
                       std::move(report->status), std::move(report->output),
                       std::move(report->error),  ""};
    return Posted{posted(report->parent, std::move(settle), from), 0, {}};
  }
  auto* send = std::get_if<SendSignal>(&post);
  check(send != nullptr);
  SignalRun signal{send->name, send->payload, send->signal_id};
  return Posted{posted(send->to, std::move(signal), from), 0, std::move(*send)};
}

/// Those the store knows of, and those that are decided and not durable yet; not the sender itself.
Outcome<std::vector<RunId>> Host::Partition::labelled(const SendSignal& send) {
  size_t most = settings_.limits.signal_targets_max + 2;
  FERMATA_TRY(runs,
              ports_.store.live_runs_with(send.account, send.label_key, send.label_value, most));
  std::set<RunId> known(runs.begin(), runs.end());
  for (const Flight* flight : {&flying_, &next_}) {
    for (const Touched& touched : flight->runs) {
      const Run& run = touched.open->run;
      bool has_it = run.account == send.account && run.exists() &&
                    run.labels.get(send.label_key) == Value(send.label_value);
      if (has_it && !run.finished() && known.insert(run.id).second) runs.push_back(run.id);
    }
  }
  std::erase(runs, send.from);
  return runs;
}

/// True when the post is a signal to all that have a label; then it is on its way (G-36).
bool Host::Partition::post_to_label(Post& post, Groups::Member group) {
  auto* send = std::get_if<SendSignal>(&post);
  if (!send || send->label_key.empty()) return false;
  auto runs = labelled(*send);
  if (!runs) {
    unsound_.emplace_back(group, runs.error());
    return true;
  }
  std::string label = send->label_key + "=" + send->label_value;
  size_t most = settings_.limits.signal_targets_max;
  if (runs->empty() || runs->size() > most) {
    Error error{ErrorCode::execution_not_found, "no live execution has the label " + label, {}};
    if (!runs->empty())
      error.message = "more than " + std::to_string(most) + " executions have the label " + label +
                      "; setting graph_signal_targets_max";
    answer_sender(Posted{{}, group, std::move(*send)}, &error);
    return true;
  }
  auto tally = std::make_shared<SignalTally>(runs->size());
  for (const RunId& run : *runs) {
    SignalRun signal{send->name, send->payload, send->signal_id};
    Posted one{posted(run, std::move(signal), send->from), group, *send};
    one.tally = tally;
    posts_.push_back(std::move(one));
  }
  return true;
}

/// What is addressed to jobs and schedules. True when there is something for runs.
bool Host::Partition::decide_for_others(Instant now) {
  for (;;) {
    bool for_runs = decide_for_jobs(now);
    if (schedule_posts_.empty()) return for_runs;
    decide_schedule_posts(now);
  }
}

/// Decides what posts mean to their receivers, and what follows from that, until nothing does.
void Host::Partition::decide_posts(Instant now) {
  while (decide_for_others(now)) {
    std::vector<Posted> posts = std::exchange(posts_, {});
    std::vector<RunId> missing;
    for (const Posted& post : posts)
      if (!cache_.find(post.item.command.run)) missing.push_back(post.item.command.run);
    auto fetched = missing.empty() ? Outcome<void>{} : cache_.fetch(missing);
    if (!fetched) ++counters_.store_failures;
    for (Posted& post : posts) {
      OpenRun* open = cache_.find(post.item.command.run);
      if (open && post.contact && open->assumed && !open->run.exists())
        open = open_truly(post.item.command.run, fetched);
      if (open && open->flying) {
        held_posts_.push_back(std::move(post));
      } else if (open) {
        decide_post(*open, std::move(post), now);
      } else if (fetched) {
        // The receiver is damaged: whoever sent this must not suffer for it.
        const Error* damage = cache_.damage(post.item.command.run);
        if (damage) ports_.feed.run_unreadable(post.item.command.run, now);
        answer_sender(post, damage);
        if (post.schedule && damage)
          refuse_start(*post.schedule, post.item.command.run, *damage, post.group);
        if (post.delivery && damage) refuse_answer(*post.delivery, *damage, now);
      } else {
        abandon(post.group, fetched.error(), now);
      }
    }
  }
  forget_unsound(now);
}

/// A start that was repeated may have been taken for the first; what came of it is decided again
/// with what the store holds.
OpenRun* Host::Partition::open_truly(const RunId& id, Outcome<void>& fetched) {
  uint32_t place = cache_.find(id)->place;
  cache_.forget(id);
  fetched = cache_.fetch({id});
  OpenRun* open = cache_.find(id);
  if (place == OpenRun::nowhere) return open;
  std::vector<DecidedItem> items = std::move(next_.runs[place].items);
  for (DecidedItem& decided : items) {
    ++decided.item.tries;
    put_first(std::move(decided.item));
  }
  next_.runs.erase(next_.runs.begin() + place);
  for (size_t i = place; i < next_.runs.size(); ++i)
    next_.runs[i].open->place = static_cast<uint32_t>(i);
  return open;
}

void Host::Partition::decide_post(OpenRun& open, Posted post, Instant now) {
  if (next_.groups.abandoned(post.group)) return;
  bool foreign = post.sender && open.run.exists() && open.run.account != post.sender->account;
  if (foreign) {
    Error error{ErrorCode::execution_not_found, "there is no " + name_of(open.run.id), {}};
    return answer_sender(post, &error);
  }
  if (post.contact && !post.contact->workflow.empty() &&
      open.run.workflow != post.contact->workflow)
    return;
  if (auto known = fetch_contact(post.item, open.run); !known) {
    ++counters_.store_failures;
    return abandon(post.group, known.error(), now);
  }
  Standing standing = standing_of(post.item);
  if (standing == Standing::flying) {
    held_posts_.push_back(std::move(post));
    return;
  }
  if (standing == Standing::in_next) join_contact(post.item, post.group);
  size_t pending = pending_waits(open.run);
  bool was_over = open.run.finished();
  Touched& touched = touch(open);
  next_.groups.join(post.group, touched.group);
  Groups::Member group = post.group;
  std::optional<SendSignal> sender = std::move(post.sender);
  std::shared_ptr<SignalTally> tally = std::move(post.tally);
  bool was_there = open.run.exists();
  size_t place = touched.items.size();
  decide_one(touched, std::move(post.item), now);
  // Signals that were offered on top stand behind it.
  if (post.contact && !was_over && open.run.finished()) count_ended(post.contact->key, pending);
  if (post.schedule)
    answer_schedule(*post.schedule, open.run, was_there, touched.items[place].refusal, group);
  if (const auto& refusal = touched.items[place].refusal; post.delivery && refusal)
    refuse_answer(*post.delivery, *refusal, now);
  if (sender) {
    const std::optional<Error>& refusal = touched.items[place].refusal;
    answer_sender(Posted{{}, group, std::move(sender), std::move(tally)},
                  refusal ? &*refusal : nullptr);
  }
}

/// Tells the sender of a signal what became of it.
void Host::Partition::answer_sender(const Posted& post, const Error* refusal) {
  if (!post.sender) return;
  SettleSignal settle{post.sender->ref, refusal == nullptr, refusal ? refusal->message : ""};
  if (SignalTally* tally = post.tally.get()) {
    if (refusal) tally->refusal = refusal->message;
    if (!refusal) ++tally->delivered;
    if (--tally->left > 0) return;
    settle = {post.sender->ref, tally->delivered > 0, tally->refusal, tally->delivered};
  }
  const RunId& by = post.sender->to.empty() ? post.sender->from : post.sender->to;
  posts_.push_back({posted(post.sender->from, std::move(settle), by), post.group, std::nullopt});
}

/// Forgets a group whose posts cannot be decided: what brought it about is refused or tried again.
void Host::Partition::abandon(Groups::Member group, const Error& error, Instant now) {
  if (next_.groups.abandoned(group)) return;
  next_.groups.abandon(group);
  Groups::Member whole = next_.groups.of(group);
  std::vector<Item> items;
  for (Touched& touched : next_.runs) {
    if (next_.groups.of(touched.group) != whole) continue;
    for (DecidedItem& decided : touched.items)
      if (!decided.item.posted) items.push_back(std::move(decided.item));
    for (const WaitRecord& record : touched.waits) signals_.not_committed(record);
    RunId id = touched.open->run.id;
    cache_.forget(id);
    touched.open = nullptr;
    for (Item& held : held_.release(id)) put_first(std::move(held));
  }
  std::erase_if(next_.runs, [](const Touched& touched) { return touched.open == nullptr; });
  for (size_t i = 0; i < next_.runs.size(); ++i)
    next_.runs[i].open->place = static_cast<uint32_t>(i);
  auto gone = [&](const Posted& post) { return next_.groups.of(post.group) == whole; };
  std::erase_if(posts_, gone);
  std::erase_if(held_posts_, gone);
  abandon_jobs(whole, error, now);
  abandon_schedules(whole, error, now);
  abandon_deliveries(whole, error, now);
  abandon_contacts(whole, error);
  refuse_all(std::move(items), error, now);
}

}  // namespace fermata
