#include <filesystem>
#include <future>

#include "cli/serving.h"

/// Policy and pools of a server: where they come from and how they come into force.
namespace fermata::cli {

namespace {

constexpr std::chrono::milliseconds policy_wait{5'000};

/// Nothing where there is no such file; a file that cannot be read is a failure.
Outcome<std::optional<std::string>> text_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return std::optional<std::string>{};
  FERMATA_TRY(text, read_file(path));
  return std::optional(std::move(text));
}

}  // namespace

/// Returns when no attempt can start under what was in force before.
void Serving::put_in_force(std::function<void(Workers&)> change) {
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> in_force = done->get_future();
  while (!engine_.host->with_workers([change, done](Workers& workers) {
    change(workers);
    done->set_value();
  })) {
    // The queue is full: a change must not be lost for that.
    if (ending_) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (ready_) in_force.wait_for(policy_wait);
}

Outcome<void> Serving::start_policy() {
  front::PolicyBoard::Options options;
  options.file = settings_.policy_file;
  options.file_required = !settings_.policy_file.empty();
  if (options.file.empty())
    options.file = (std::filesystem::path(config_folder_) / "safety.yaml").string();
  options.read_file = text_of_file;
  options.read_text = around_.world.policy_texts();
  options.activate = [this](const policy::PolicyPtr& set) {
    put_in_force([set](Workers& workers) { workers.set_policy(set); });
  };
  options.on_failed = [this](const Error& error) {
    log_.error("policy_load_failed: the policy in force is untouched", {{"reason", error.message}});
  };
  options.on_loaded = [this](const std::string& snapshot, const std::string& origin) {
    log_.info("Policy in force", {{"snapshot", snapshot}, {"from", origin}});
  };
  std::string file = options.file;
  policy_ = std::make_unique<front::PolicyBoard>(engine_.store->policy(), engine_.clock(),
                                                 std::move(options));
  FERMATA_TRY_VOID(policy_->start());
  if (settings_.policy != "rules")
    log_.info("Jobs are judged by a policy kernel",
              {{"policy", settings_.policy}, {"policy_kernel", settings_.policy_kernel}});
  if (!settings_.output_policy_kernel.empty())
    log_.info("Results are read by a kernel",
              {{"output_policy_kernel", settings_.output_policy_kernel}});
  if (settings_.policy != "kernel" && policy_->current()->common().none())
    log_.warn("There is no policy: every job is allowed", {{"policy_file", file}});
  policy_watch_ = around_.world.watch_file(file, [this] { policy_->look(); });
  return {};
}

Outcome<void> Serving::start_pools() {
  front::PoolBoard::Options options;
  options.file = settings_.pools_file;
  options.file_required = !settings_.pools_file.empty();
  if (options.file.empty())
    options.file = (std::filesystem::path(config_folder_) / "pools.yaml").string();
  options.read_file = text_of_file;
  options.read_text = around_.world.policy_texts();
  options.activate = [this](const fleet::PoolTablePtr& table) {
    put_in_force([table](Workers& workers) { workers.set_pools(table); });
  };
  options.on_failed = [this](const Error& error) {
    log_.error("pools_load_failed: the pools in force are untouched", {{"reason", error.message}});
  };
  options.on_loaded = [this](uint64_t revision, const std::string& origin) {
    log_.info("Pools in force", {{"revision", revision}, {"from", origin}});
  };
  std::string file = options.file;
  pools_ = std::make_unique<front::PoolBoard>(engine_.store->pools(), engine_.clock(),
                                              std::move(options));
  FERMATA_TRY_VOID(pools_->start());
  pools_watch_ = around_.world.watch_file(file, [this] { pools_->look(); });
  return {};
}

}  // namespace fermata::cli
