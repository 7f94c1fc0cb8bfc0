// SPDX-License-Identifier: Apache-2.0
#include "cli/peers/process.hpp"

#include <fcntl.h>  // F_DUPFD_CLOEXEC
#include <poll.h>
#include <spawn.h>       // posix_spawn
#include <sys/mman.h>    // memfd_create
#include <sys/socket.h>  // socketpair, send, recv
#include <sys/wait.h>    // waitpid
#include <unistd.h>      // close, pread, pwrite

#include <cerrno>
#include <charconv>  // from_chars
#include <chrono>    // steady_clock
#include <csignal>   // kill
#include <cstring>   // strerror

#include "cli/kinds.hpp"         // kinds_text
#include "request/resolved.hpp"  // input_array, output_array
#include "text/formatted.hpp"    // formatted, joined
#include "text/reject.hpp"       // reject
#include "wingbeat/error.hpp"    // absent_error, device_error, plan_error

namespace wingbeat::cli {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::string_view greeting = "wingbeat-peer 1";
constexpr std::size_t longest_line = 4096;
constexpr int peers_shared_file = 3;

/// Reads as many numbers as `into` has, separated by blanks; returns false for any other text.
bool read_numbers(std::string_view text, std::span<double> into) {
  for (double& number : into) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || !(number >= -1) || number > 1e18) return false;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
  return text.empty();
}

/// Calls `transfer`, a read or a write from a given offset on, until all bytes are done.
template <class Transfer>
void transfer_all(std::size_t size_bytes, const char* participle, const Transfer& transfer) {
  for (std::size_t n_done = 0; n_done < size_bytes;) {
    const ssize_t n_bytes = transfer(n_done);
    if (n_bytes < 0 && errno == EINTR) continue;
    if (n_bytes <= 0) {
      throw device_error(formatted("memory shared with a peer cannot be {}: {}", participle,
                                   n_bytes < 0 ? std::strerror(errno) : "it is too short"));
    }
    n_done += static_cast<std::size_t>(n_bytes);
  }
}

std::string side_words(const char* name, const arrays::array& array) {
  std::vector<std::size_t> strides;
  for (const arrays::axis& axis : array.axes) strides.push_back(axis.stride);
  return formatted(" {0}_strides={1} {0}_distance={2} {0}_imaginary={3} {0}_bytes={4}", name,
                   joined(strides, "x"), array.batches.front().distance, array.parts_distance,
                   array.valid_bytes());
}

class process_run final : public measure::library_run {
 public:
  process_run(peer_process& peer, const plan_spec& spec) : peer_(peer) {
    double numbers[2] = {};
    request_numbers("plan " + words_of(spec), "planned", numbers);
    prepared_.cold_s = numbers[0];
    prepared_.workspace_bytes = static_cast<long long>(numbers[1]);
  }
  ~process_run() override {
    try {
      peer_.request("forget", "forgot");
    } catch (const error&) {  // the peer has failed, and the next request reports it
    }
  }

  void fill(const std::vector<std::byte>& block) override {
    peer_.write_shared(block);
    peer_.request(formatted("fill {}", block.size()), "filled");
  }

  double time(std::size_t n_runs) override {
    if (prepared_.first_call_s < 0) prepared_.first_call_s = seconds_of(run, 1);
    return seconds_of(run, n_runs);
  }

  double time_calls(std::size_t n_calls) override { return seconds_of(enqueue, n_calls); }

  void read(std::size_t offset_bytes, std::span<std::byte> into) override {
    peer_.request(formatted("read {} {}", offset_bytes, into.size()), "read");
    peer_.read_shared(into);
  }

 private:
  /// A question that is answered with seconds.
  struct timed_question {
    const char *question, *verb, *counted;
  };
  static constexpr timed_question run{"run", "ran", "runs"};
  static constexpr timed_question enqueue{"enqueue", "enqueued", "calls"};

  double seconds_of(const timed_question& timed, std::size_t count) {
    double seconds[1] = {};
    request_numbers(formatted("{} {}", timed.question, count), timed.verb, seconds);
    if (seconds[0] > 0) return seconds[0];
    throw device_error(
        formatted("a peer reports that {} {} took {} s", count, timed.counted, seconds[0]));
  }

  void request_numbers(const std::string& line, const std::string& verb, std::span<double> into) {
    const std::string text = peer_.request(line, verb);
    if (!read_numbers(text, into)) {
      throw device_error(formatted("a peer answered '{} {}' to '{}'; {} numbers were to follow",
                                   verb, text, line.substr(0, line.find(' ')), into.size()));
    }
  }

  peer_process& peer_;
};

}  // namespace

peer_process::peer_process(const std::filesystem::path& program, const device_info& device,
                           double answer_s)
    : name_(program.filename().string()), answer_s_(answer_s) {
  start(program);
  try {
    if (const std::string line = read_line(); line != greeting) {
      fail(formatted("greets with '{}' and not '{}'", line.substr(0, 60), greeting));
    }
    library_ = request(formatted("open index={} threads={} name={}", device.index,
                                 device.compute_units, device.name),
                       "opened");
  } catch (const plan_error& refused) {
    end();
    throw absent_error(refused.what());
  } catch (...) {
    end();
    throw;
  }
}

peer_process::~peer_process() {
  end();
}

void peer_process::start(const std::filesystem::path& program) {
  int ends[2];
  shared_file_ = memfd_create("wingbeat-peer", MFD_CLOEXEC);
  if (shared_file_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    end();
    throw device_error(formatted("no connection to a peer could be made: {}", strerror(errno)));
  }
  socket_ = ends[0];
  // dup2 of a descriptor onto itself leaves it close-on-exec, so both move to 4 or above first.
  const int its_socket = fcntl(ends[1], F_DUPFD_CLOEXEC, peers_shared_file + 1);
  const int its_file = fcntl(shared_file_, F_DUPFD_CLOEXEC, peers_shared_file + 1);
  close(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, its_socket, 0);
  posix_spawn_file_actions_adddup2(&actions, its_socket, 1);
  posix_spawn_file_actions_adddup2(&actions, its_file, peers_shared_file);
  std::string path = program.string();
  char* const words[] = {path.data(), nullptr};
  const int fault = posix_spawn(&process_, path.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(its_socket);
  close(its_file);
  if (fault == 0) return;
  process_ = -1;
  end();
  throw absent_error(
      formatted("the peer {} cannot be started: {}", program.string(), strerror(fault)));
}

std::string peer_process::request(const std::string& line, const std::string& verb) {
  if (!failure_.empty()) throw device_error(failure_);
  const std::string text = line + "\n";
  // MSG_NOSIGNAL, because a closed peer would otherwise end this process; read_line() reports it.
  transfer_all(text.size(), "written", [&](std::size_t n_done) {
    const ssize_t sent = send(socket_, text.data() + n_done, text.size() - n_done, MSG_NOSIGNAL);
    return sent < 0 && errno == EPIPE ? static_cast<ssize_t>(text.size() - n_done) : sent;
  });
  const std::string answer = read_line();
  if (answer == verb) return {};
  if (answer.starts_with(verb + " ")) return answer.substr(verb.size() + 1);
  if (answer.starts_with("refused ")) {
    reject("the peer {} refuses: {}", name_, answer.substr(8));
  }
  fail(formatted("answered '{}' to '{}'", answer.substr(0, 60), line.substr(0, line.find(' '))));
}

std::string peer_process::read_line() {
  const auto limit = std::chrono::duration<double>(answer_s_);
  const auto deadline = clock::now() + std::chrono::duration_cast<clock::duration>(limit);
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (unread_.size() > longest_line) fail("answered a line that does not end");
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
    pollfd ready{socket_, POLLIN, 0};
    const int n = left > 0 ? poll(&ready, 1, static_cast<int>(left)) : 0;
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail(formatted("said nothing for {:g} s", answer_s_));
    char received[1024];
    const ssize_t n_bytes = recv(socket_, received, sizeof received, 0);
    if (n_bytes <= 0) fail(wait_for_exit());
    unread_.append(received, static_cast<std::size_t>(n_bytes));
  }
}

void peer_process::write_shared(std::span<const std::byte> bytes) {
  transfer_all(bytes.size(), "written", [&](std::size_t n_done) {
    return pwrite(shared_file_, bytes.data() + n_done, bytes.size() - n_done,
                  static_cast<off_t>(n_done));
  });
}

void peer_process::read_shared(std::span<std::byte> bytes) const {
  transfer_all(bytes.size(), "read", [&](std::size_t n_done) {
    return pread(shared_file_, bytes.data() + n_done, bytes.size() - n_done,
                 static_cast<off_t>(n_done));
  });
}

void peer_process::fail(const std::string& reason) {
  end();
  failure_ = formatted("the peer {} {}; it takes no further part", name_, reason);
  throw device_error(failure_);
}

/// Waits up to half a second for the process, which has closed its end; returns how it exited.
std::string peer_process::wait_for_exit() {
  int status = 0;
  pid_t ended = 0;
  for (int wait_ms = 0; wait_ms < 500 && ended == 0; ++wait_ms) {
    ended = waitpid(process_, &status, WNOHANG);
    if (ended == 0) poll(nullptr, 0, 1);
  }
  if (ended != process_) return "closed its end before it answered";
  process_ = -1;
  return WIFEXITED(status)
             ? formatted("ended with code {} before it answered", WEXITSTATUS(status))
             : formatted("was ended by signal {} before it answered", WTERMSIG(status));
}

void peer_process::end() noexcept {
  if (socket_ >= 0) close(socket_);
  if (shared_file_ >= 0) close(shared_file_);
  socket_ = shared_file_ = -1;
  if (process_ < 0) return;
  kill(process_, SIGKILL);  // it has nothing to save
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::unique_ptr<measure::library_run> make_process_run(peer_process& peer, const plan_spec& spec) {
  return std::make_unique<process_run>(peer, spec);
}

std::string words_of(const plan_spec& spec) {
  const std::size_t batch = spec.batch;
  std::string kinds = kinds_text(spec);
  std::erase(kinds, ' ');
  return formatted(
      "kind={} precision={} lengths={} batch={} in_place={}{}{}", kinds, name_of(spec.real),
      joined(spec.lengths, "x"), batch, spec.where == placement::in_place ? 1 : 0,
      side_words("in", request::input_array(spec)), side_words("out", request::output_array(spec)));
}

}  // namespace wingbeat::cli
