#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bench/cluster.h"
#include "test/broker/broker_client.h"
#include "test/broker/broker_process.h"
#include "test/postgres/postgres_server.h"
#include "test/support/redis_process.h"

namespace fermata::bench {

namespace {

void insist(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "bench: %s does not start; is it installed (tools/test_packages.txt)?\n",
               what);
  std::exit(5);
}

}  // namespace

struct ClusterServers {
  test::PostgresServer postgres{{"shared_buffers=256MB", "max_wal_size=4GB"}};
  std::unique_ptr<test::RedisProcess> redis;
  std::unique_ptr<test::BrokerProcess> broker;
};

ClusterServers& cluster_servers() {
  static ClusterServers servers;
  static bool started = servers.postgres.start();
  insist(started, "PostgreSQL");
  return servers;
}

std::string postgres_url() { return cluster_servers().postgres.url(); }

std::string redis_url() {
  ClusterServers& servers = cluster_servers();
  if (!servers.redis) {
    servers.redis = std::make_unique<test::RedisProcess>();
    insist(servers.redis->start(), "Redis");
  }
  return servers.redis->url();
}

std::string rabbit_url() {
  ClusterServers& servers = cluster_servers();
  if (!servers.broker) {
    servers.broker = std::make_unique<test::BrokerProcess>();
    insist(servers.broker->start(), "RabbitMQ");
  }
  return servers.broker->url();
}

double raw_broker_rate(size_t messages) {
  (void)rabbit_url();
  test::BrokerClient client(cluster_servers().broker->address());
  insist(client.connected(), "RabbitMQ");
  client.purge_everything();
  std::string body(400, 'x');
  auto begin = std::chrono::steady_clock::now();
  constexpr size_t window = 256;
  for (size_t sent = 0; sent < messages; sent += window) {
    size_t count = std::min(window, messages - sent);
    for (size_t i = 0; i < count; ++i)
      insist(client.put("workflow.node.status", body, std::to_string(sent + i)), "RabbitMQ");
    insist(client.await_confirms(count), "RabbitMQ");
  }
  double rate = static_cast<double>(messages) / seconds_since(begin);
  client.purge_everything();
  return rate;
}

double raw_zadd_rate() {
  (void)redis_url();
  std::string command = "redis-benchmark -p " + std::to_string(cluster_servers().redis->port()) +
                        " -t zadd -n " + std::to_string(scaled(200'000)) +
                        " -r 1000000 -P 16 --csv 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return 0;
  char line[512];
  double rate = 0;
  while (std::fgets(line, sizeof line, pipe)) {
    std::string text = line;
    if (text.find("ZADD") == std::string::npos) continue;
    size_t at = text.find(",\"");
    if (at != std::string::npos) rate = std::atof(text.c_str() + at + 2);
  }
  pclose(pipe);
  return rate;
}

size_t scaled(size_t count) {
  static const double scale = [] {
    const char* given = std::getenv("FERMATA_BENCH_SCALE");
    return given ? std::clamp(std::atof(given), 0.001, 10.0) : 1.0;
  }();
  return std::max<size_t>(static_cast<size_t>(static_cast<double>(count) * scale), 20);
}

}  // namespace fermata::bench
