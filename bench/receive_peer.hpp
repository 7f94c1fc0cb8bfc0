// SPDX-License-Identifier: Apache-2.0
// Another library's receiver in a process of its own, asked line by line: peers/spead2_receive.py.
#pragma once

#include <fcntl.h>     // O_CLOEXEC
#include <spawn.h>     // posix_spawnp
#include <sys/wait.h>  // waitpid
#include <unistd.h>    // pipe2

#include <array>
#include <csignal>  // signal
#include <cstdint>  // uint64_t
#include <cstdio>   // fdopen
#include <sstream>
#include <stdexcept>  // runtime_error
#include <string>
#include <vector>

#include "net/endpoint.hpp"  // endpoint

namespace wingbeat::bench {

class receive_peer {
 public:
  /// Starts the command, which says its name first, or why it cannot run.
  explicit receive_peer(std::vector<std::string> command) {
    ::signal(SIGPIPE, SIG_IGN);  // a peer that has ended is seen by its missing answer
    std::array<int, 2> questions{}, answers{};
    if (::pipe2(questions.data(), O_CLOEXEC) != 0 || ::pipe2(answers.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe to a peer can be made");
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, questions[0], 0);
    posix_spawn_file_actions_adddup2(&actions, answers[1], 1);
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    const int fault = ::posix_spawnp(&process_, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(questions[0]);
    ::close(answers[1]);
    to_ = ::fdopen(questions[1], "w");
    from_ = ::fdopen(answers[0], "r");
    if (fault == 0) name_ = line();
  }
  receive_peer(const receive_peer&) = delete;
  receive_peer& operator=(const receive_peer&) = delete;
  ~receive_peer() {
    std::fclose(to_);
    while (std::fgetc(from_) != EOF) continue;  // what it says at its end
    std::fclose(from_);
    if (process_ > 0) ::waitpid(process_, nullptr, 0);
  }

  /// Returns what it said at first: empty where it did not start, or "SKIP: ..".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_ready() const { return !name_.empty() && !name_.starts_with("SKIP"); }

  /// Returns the endpoints of a receiver that it opens, as many as asked for.
  std::vector<net::endpoint> open(std::size_t packet_bytes, std::size_t packet_samples,
                                  std::size_t chunk_packets, std::size_t n_endpoints,
                                  std::size_t buffer_bytes) {
    std::ostringstream question;
    question << "open " << packet_bytes << ' ' << packet_samples << ' ' << chunk_packets << ' '
             << n_endpoints << ' ' << buffer_bytes;
    std::istringstream ports = ask(question.str(), "listening");
    std::vector<net::endpoint> places;
    for (std::uint16_t port = 0; ports >> port;) places.push_back({0x7f000001, port});
    if (places.size() != n_endpoints) throw std::runtime_error(name_ + " has other endpoints");
    return places;
  }

  /// Ends the receiver and returns the packets that it placed.
  std::uint64_t stop() {
    std::uint64_t n_placed = 0;
    ask("stop", "placed") >> n_placed;
    return n_placed;
  }

 private:
  std::istringstream ask(const std::string& question, const std::string& expected) {
    std::fprintf(to_, "%s\n", question.c_str());
    std::fflush(to_);
    std::istringstream answer{line()};
    std::string word;
    answer >> word;
    if (word != expected) throw std::runtime_error(name_ + " has ended, or answers otherwise");
    return answer;
  }
  std::string line() {
    std::string text;
    for (int c = std::fgetc(from_); c != EOF && c != '\n'; c = std::fgetc(from_)) {
      text += static_cast<char>(c);
    }
    return text;
  }

  pid_t process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  std::string name_;
};

}  // namespace wingbeat::bench
