// SPDX-License-Identifier: Apache-2.0
// The page, its JSON and the metrics, fetched over loopback.
#include "control/monitor_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "control/fake_engine.hpp"
#include "control/loopback_client.hpp"
#include "support/sanitizer.hpp"  // has_thread_sanitizer

namespace {

using namespace wingbeat::control;
using nlohmann::json;
using namespace wingbeat::test;

struct response {
  std::string head, body;
};

response fetch(std::uint16_t port, const std::string& request_line) {
  loopback_client client(port);
  client.send(request_line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const std::string text = client.rest();
  const std::size_t blank = text.find("\r\n\r\n");
  if (blank == std::string::npos) return {text, ""};
  return {text.substr(0, blank), text.substr(blank + 4)};
}

class monitor : public ::testing::Test {
 protected:
  response get(const std::string& path) {
    return fetch(server.port(), "GET " + path + " HTTP/1.1");
  }

  fake_engine engine;
  metric_registry metrics;
  sensor_registry sensors;
  counter& heaps = metrics.add("heaps_total", "Heaps");
  sensor& good = sensors.add({.name = "good"});
  sensor& bad = sensors.add({.name = "bad", .units = "s"});
  sensor& unknown = sensors.add({.name = "unknown"});
  monitor_server server{{}, metrics, sensors, engine};
};

TEST_F(monitor, metrics_are_those_of_now) {
  heaps.add(41);
  const response first = get("/metrics");
  EXPECT_NE(first.head.find("200"), std::string::npos);
  EXPECT_NE(first.head.find("text/plain; version=0.0.4"), std::string::npos) << first.head;
  EXPECT_EQ(first.body, "# HELP heaps_total Heaps\n# TYPE heaps_total counter\nheaps_total 41\n");
  heaps.add();
  EXPECT_NE(get("/metrics").body.find("heaps_total 42\n"), std::string::npos);
}

TEST_F(monitor, json_has_what_the_page_shows) {
  good.set(1);
  bad.set(2, sensor_status::warn);
  const response answer = get("/monitor.json");
  EXPECT_NE(answer.head.find("application/json"), std::string::npos);
  const json data = json::parse(answer.body);
  EXPECT_EQ(data["title"], "fake <engine>");
  EXPECT_NEAR(data["time"].get<double>(), unix_time_s(), 10.0);
  ASSERT_EQ(data["spectra"].size(), 2u);
  const json& spectrum = data["spectra"][1];
  EXPECT_EQ(spectrum["stream"], "wideband");
  EXPECT_EQ(spectrum["pol"], 1);
  EXPECT_EQ(spectrum["sequence"], 7);
  EXPECT_EQ(spectrum["first_hz"], 1e9);
  ASSERT_EQ(spectrum["power_db"].size(), 64u);
  EXPECT_EQ(spectrum["power_db"][0], -80.0);
  EXPECT_TRUE(spectrum["power_db"][5].is_null());
  EXPECT_EQ(data["rates"][0]["units"], "Gb/s");
  EXPECT_EQ(data["losses"][1]["value"], 3.0);
  EXPECT_EQ(data["states"][0]["units"], "°C");
  EXPECT_EQ(spectrum["units"], "dBFS");
  EXPECT_EQ(data["levels"][0]["level_db"], -20.5);
  EXPECT_EQ(data["levels"][0]["clipped"], 2.0);
  EXPECT_EQ(data["gains"][1]["greatest"], 2.0);
  EXPECT_EQ(data["delays"][0]["phase_rate_rad_per_s"], -0.25);
  ASSERT_EQ(data["sensors"].size(), 1u);
  EXPECT_EQ(data["sensors"][0]["name"], "bad");
  EXPECT_EQ(data["sensors"][0]["status"], "warn");
}

TEST_F(monitor, page_needs_nothing_from_elsewhere) {
  const response page = get("/");
  EXPECT_NE(page.head.find("200"), std::string::npos);
  EXPECT_NE(page.head.find("Content-Security-Policy"), std::string::npos);
  EXPECT_EQ(page.body.substr(0, 15), "<!DOCTYPE html>");
  EXPECT_NE(page.body.find("</html>"), std::string::npos);
  EXPECT_NE(page.body.find("monitor.json"), std::string::npos);
  for (const char* outside : {"http:", "https:", "src=", "<link", "@import", "innerHTML"}) {
    EXPECT_EQ(page.body.find(outside), std::string::npos) << outside;
  }
  // Each field of the document is read by the page.
  const json data = json::parse(monitor_json(engine.snapshot(), sensors));
  for (const auto& [name, value] : data.items()) {
    EXPECT_NE(page.body.find("data." + name), std::string::npos) << name;
  }
}

TEST_F(monitor, waterfall_begins_before_its_page) {
  const json page = json::parse(get("/waterfall.json").body);
  ASSERT_EQ(page["waterfalls"].size(), 2u);
  EXPECT_EQ(page["last"], 2);
  const json& rows = page["waterfalls"][1]["rows"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["levels"].get<std::string>().size(), 128u);
  const auto n_rows = [&](const char* after) {
    const response answer = get(std::string{"/waterfall.json?after="} + after);
    return json::parse(answer.body)["waterfalls"][0]["rows"].size();
  };
  EXPECT_EQ(n_rows("2"), 0u);
  EXPECT_EQ(n_rows("1"), 0u);
  EXPECT_EQ(n_rows("3"), 1u);  // of another service
  EXPECT_NE(get("/waterfall.json?after=x").head.find("400"), std::string::npos);
}

TEST_F(monitor, looks_at_the_engine_as_often_for_many_browsers_as_for_a_few) {
  const int n_before = engine.n_snapshots;
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(json::accept(get("/monitor.json").body));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  EXPECT_LE(engine.n_snapshots - n_before, 2 + 10 * taken.count());
}

TEST_F(monitor, other_requests_are_refused) {
  EXPECT_NE(get("/etc/passwd").head.find("404"), std::string::npos);
  EXPECT_NE(get("/../../etc/passwd").head.find("40"), std::string::npos);
  EXPECT_EQ(fetch(server.port(), "POST / HTTP/1.1").head.find("200"), std::string::npos);
  EXPECT_EQ(fetch(server.port(), "nonsense").head.find("200"), std::string::npos);
  EXPECT_NE(get("/").head.find("200"), std::string::npos);
}

TEST_F(monitor, silent_clients_do_not_stop_it) {
  std::vector<std::unique_ptr<loopback_client>> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(std::make_unique<loopback_client>(server.port()));
    if (i % 2 == 0) silent.back()->send("GET /metrics HTTP/1.1\r\nHost: ");
  }
  // Each of the silent may hold a thread for seconds.
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_NE(get("/metrics").body.find("heaps_total"), std::string::npos);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  EXPECT_LT(taken.count(), has_thread_sanitizer ? 5.0 : 1.0);
}

TEST_F(monitor, many_clients_and_writers_at_once) {
  std::atomic<bool> is_running{true};
  std::thread writer([&] {
    for (int i = 0; is_running; ++i) {
      heaps.add();
      bad.set(i, sensor_status::error);
    }
  });
  std::vector<std::thread> readers;
  for (int t = 0; t < 4; ++t) {
    readers.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        EXPECT_NE(get("/metrics").body.find("heaps_total"), std::string::npos);
        EXPECT_TRUE(json::accept(get("/monitor.json").body));
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  is_running = false;
  writer.join();
}

TEST_F(monitor, says_why_it_cannot_listen) {
  try {
    const monitor_server second({.port = server.port()}, metrics, sensors, engine);
    FAIL() << "two servers share a port";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(server.port())), std::string::npos);
  }
}

}  // namespace
