// SPDX-License-Identifier: Apache-2.0
// A peer in a process of its own, asked line by line; bench/peers/protocol.md says what is said.
#pragma once

#include <sys/types.h>  // pid_t

#include <cstddef>  // byte, size_t
#include <filesystem>
#include <memory>  // unique_ptr
#include <span>
#include <string>
#include <vector>

#include "cli/peers/queue_runs.hpp"  // contender
#include "wingbeat/devices.hpp"      // device_info

namespace wingbeat::cli {

/// A library in another process. A peer that dies, is silent for longer than its patience or
/// answers nonsense is ended, and every later question throws the same `device_error`.
class peer_process {
 public:
  /// Starts the program and lets it open the device that `where` describes. Throws `absent_error`
  /// where the program cannot be started or says that it cannot use the device.
  peer_process(const std::filesystem::path& program, const device_info& where, double patience_s);
  peer_process(const peer_process&) = delete;
  peer_process& operator=(const peer_process&) = delete;
  ~peer_process();

  /// Returns the library and its version, in its own words.
  [[nodiscard]] const std::string& library() const noexcept { return library_; }

  /// Sends a line and returns what follows `verb` in the answer. Throws `plan_error` for the answer
  /// "refused ..."; `device_error` for any other answer, or none in time.
  std::string ask(const std::string& line, const std::string& verb);

  /// Writes to and reads from the start of the file that both processes share.
  void lend(std::span<const std::byte> bytes);
  void borrow(std::span<std::byte> bytes) const;

 private:
  void start(const std::filesystem::path& program);
  [[nodiscard]] std::string answer();
  [[noreturn]] void give_up(const std::string& why);
  void end() noexcept;
  [[nodiscard]] std::string how_it_ended() noexcept;

  std::string name_;
  double patience_s_;
  pid_t process_ = -1;
  int talk_ = -1;      // a socket: our line out, its line in
  int exchange_ = -1;  // a file without a name, which the peer knows as its descriptor 3
  std::string unread_;
  std::string library_;
  std::string failure_;
};

/// Returns one problem, planned by the peer. Throws `plan_error` where the peer refuses it.
[[nodiscard]] std::unique_ptr<contender> process_contender(peer_process& peer,
                                                           const plan_spec& what);

/// Returns the words that state a problem to a peer: "lengths=64x64 batch=4 kind=forward ...".
[[nodiscard]] std::string words_of(const plan_spec& what);

}  // namespace wingbeat::cli
