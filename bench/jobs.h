#pragma once

namespace fermata::bench {

// `./dev bench jobs` (J-95 to J-97), jobs without rules of a policy.
void measure_job_throughput();
void measure_single_submits();
void measure_delivery();
void measure_queue();
void measure_idle_workers();
void measure_placement();

}  // namespace fermata::bench
