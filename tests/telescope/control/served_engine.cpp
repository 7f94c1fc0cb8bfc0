// SPDX-License-Identifier: Apache-2.0
// A made-up engine behind both servers, for clients of other languages. Prints the ports of katcp
// and HTTP, and ends at ?halt.
#include <chrono>
#include <cstdio>
#include <future>

#include "control/engine_requests.hpp"
#include "control/fake_engine.hpp"
#include "control/katcp_server.hpp"
#include "control/monitor_server.hpp"

int main() {
  using namespace wingbeat::control;
  wingbeat::test::fake_engine engine;
  sensor_registry registry;
  engine_sensors sensors(registry, engine.streams(), engine.n_pols(), 1.0);
  sensor& ticks = registry.add({.name = "ticks", .description = "Counts tenths of a second"});
  registry.add({.name = "odd", .description = "All escapes", .kind = sensor_kind::string})
      .set("a b\\c\td\n\r\x1b");
  sensors.set_gains(0, 0, engine.gains(0, 0));
  metric_registry metrics;
  counter& n_ticks = metrics.add("ticks_total", "Tenths of a second");

  std::promise<void> halt;
  katcp_server server({.port = 0, .device = "katgpucbf-fgpu-1.0", .device_build = "made-up"},
                      registry, [&, is_first = true]() mutable {
                        if (is_first) halt.set_value();
                        is_first = false;
                      });
  add_engine_requests(server, engine, sensors);
  server.every(0.1, [&, n = 0]() mutable {
    ticks.set(++n);
    n_ticks.add();
    server.log(log_level::info, "served_engine", "a tick");
  });
  server.every(1.0, [&] { sensors.refresh(); });
  server.start();
  const monitor_server monitor({}, metrics, registry, engine);
  std::printf("%d %d\n", server.port(), monitor.port());
  std::fflush(stdout);
  constexpr auto limit = std::chrono::minutes(10);  // should the client die
  const bool is_halted = halt.get_future().wait_for(limit) == std::future_status::ready;
  server.stop();
  return is_halted ? 0 : 1;
}
