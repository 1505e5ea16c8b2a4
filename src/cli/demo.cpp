#include "cli/demo.h"

#include <future>

#include "base/json.h"
#include "base/uuid.h"
#include "server/principal.h"

namespace fermata::cli {
namespace {

const WorkflowId demo_workflow{"demo"};

Outcome<uint32_t> store_workflow(Engine& engine, const GraphFile& file) {
  WorkflowPut put;
  put.account = server::default_account;
  put.id = demo_workflow;
  put.hash = file.checked.definition->hash;
  put.canonical = to_canonical_json(file.checked.definition->canonical);
  put.layout = file.checked.layout;
  put.at = engine.clock().now();
  put.actor = "local";
  AuditLine line{put.account, put.at, "local", "workflow.put", put.id.text(), "demo", Value()};
  FERMATA_TRY(stored, engine.store->catalog().put_workflow(put, line));
  return stored.version;
}

Outcome<std::optional<RunId>> live_run(Engine& engine) {
  RunFilter filter;
  filter.account = server::default_account;
  filter.workflow = demo_workflow;
  filter.statuses = {RunStatus::running, RunStatus::waiting, RunStatus::paused};
  FERMATA_TRY(page, engine.store->reader().list(filter, 1, ""));
  if (page.items.empty()) return std::optional<RunId>();
  return std::optional<RunId>(page.items[0].id);
}

}  // namespace

Outcome<Demo> begin_demo(Engine& engine, const Settings& settings, const std::string& base_url) {
  auto zones = engine.zones->zones(engine.clock().now());
  FERMATA_TRY(file, load_graph(settings.demo, settings, *zones));
  if (!file.checked.errors.empty())
    return fail(ErrorCode::invalid_definition, settings.demo + " has errors.", file.checked.errors);
  FERMATA_TRY_VOID(keep_inlined(engine, file, settings));
  FERMATA_TRY(version, store_workflow(engine, file));
  FERMATA_TRY(live, live_run(engine));
  if (live) return Demo{*live, true};
  StartRun start;
  start.account = server::default_account;
  start.workflow = demo_workflow;
  start.workflow_version = version;
  start.definition = file.checked.definition;
  start.input = Value::object({{"server", base_url}});
  start.trigger = start.input;
  RunId id(uuid_v7(engine.clock().now(), engine.entropy->next(), engine.entropy->next()));
  auto answered = std::make_shared<std::promise<Outcome<RunSummary>>>();
  auto answer = answered->get_future();
  engine.definitions->keep(file.checked.definition);
  if (!engine.host->submit(
          {id, std::move(start), "local"},
          [answered](Outcome<RunSummary> summary) { answered->set_value(std::move(summary)); }))
    return fail(ErrorCode::queue_full, "The engine takes no commands.");
  FERMATA_TRY(summary, answer.get());
  return Demo{summary.id, false};
}

std::string demo_text(const Demo& demo, const Settings& settings, const std::string& base_url,
                      const std::string& program, int process_id) {
  std::string id = demo.run.text();
  std::string text = "\nFermata serves " + base_url + " with the workflow `demo`.\n";
  text += demo.continued ? "Its run " + id + " was under way before and goes on.\n"
                         : "Its run " + id + " has begun: a call, a wait of 20 s, a merge.\n";
  text += "\nThree things to try from another terminal:\n\n";
  // The command line asks the usual address unless it is told another.
  const Settings usual;
  std::string there = base_url == "http://" + usual.listen ? "" : " --server " + base_url;
  std::string same;
  if (settings.listen != usual.listen) same += " --listen " + settings.listen;
  if (settings.data != usual.data) same += " --data " + settings.data;
  text += "  1. Watch it:           " + program + " watch " + id + there + "\n";
  text +=
      "  2. Start another one:  " + program + " start demo --set server=" + base_url + there + "\n";
  text += "  3. Crash the server:   kill -9 " + std::to_string(process_id) + " && ./dev run" +
          same +
          "\n"
          "     and watch the run again: it goes on where it was, and waits no longer than it\n"
          "     would have.\n\n";
  return text;
}

}  // namespace fermata::cli
