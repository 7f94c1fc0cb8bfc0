// SPDX-License-Identifier: Apache-2.0
// A peer in a process of its own, driven by lines of text as bench/peers/protocol.md specifies.
#pragma once

#include <sys/types.h>  // pid_t

#include <cstddef>  // byte
#include <filesystem>
#include <memory>  // unique_ptr
#include <span>
#include <string>

#include "measure/library_run.hpp"  // library_run
#include "wingbeat/devices.hpp"     // device_info
#include "wingbeat/plan.hpp"        // plan_spec

namespace wingbeat::cli {

/// A library in another process. A peer that exits, does not answer in time or answers against the
/// protocol is killed, and every later request throws the same `device_error`.
class peer_process {
 public:
  /// Starts the program and makes it open `device`; it has `answer_s` for each answer. Throws
  /// `absent_error` if the program cannot be started or reports that it cannot use the device.
  peer_process(const std::filesystem::path& program, const device_info& device, double answer_s);
  peer_process(const peer_process&) = delete;
  peer_process& operator=(const peer_process&) = delete;
  ~peer_process();

  /// Returns the name and version that the library reports.
  [[nodiscard]] const std::string& library() const noexcept { return library_; }

  /// Sends a line and returns the rest of the answer behind `verb`. Throws `plan_error` for the
  /// answer "refused ..."; `device_error` for any other answer, or none in time.
  std::string request(const std::string& line, const std::string& verb);

  /// Write to and read from the start of the file that both processes share.
  void write_shared(std::span<const std::byte> bytes);
  void read_shared(std::span<std::byte> bytes) const;

 private:
  void start(const std::filesystem::path& program);
  [[nodiscard]] std::string read_line();
  [[noreturn]] void fail(const std::string& reason);
  void end() noexcept;
  [[nodiscard]] std::string wait_for_exit();

  std::string name_;
  double answer_s_;
  pid_t process_ = -1;
  int socket_ = -1;       // the lines of both sides
  int shared_file_ = -1;  // an unnamed file; the peer has it as its descriptor 3
  std::string unread_;
  std::string library_;
  std::string failure_;
};

/// Returns a problem planned by the peer. Throws `plan_error` if the peer refuses it.
[[nodiscard]] std::unique_ptr<measure::library_run> make_process_run(peer_process& peer,
                                                                     const plan_spec& spec);

/// Returns the words that describe a problem to a peer: "lengths=64x64 batch=4 kind=forward ...".
[[nodiscard]] std::string words_of(const plan_spec& spec);

}  // namespace wingbeat::cli
