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

#include "formatted.hpp"       // formatted, joined
#include "side.hpp"            // input_side, output_side
#include "wingbeat/error.hpp"  // absent_error, device_error, plan_error

namespace wingbeat::cli {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::string_view greeting = "wingbeat-peer 1";
constexpr std::size_t longest_line = 4096;
constexpr int exchange_of_peer = 3;

/// Reads `wanted` numbers that blanks separate; returns false for anything else.
bool numbers_of(std::string_view text, std::span<double> wanted) {
  for (double& number : wanted) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || !(number >= -1) || number > 1e18) return false;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
  return text.empty();
}

template <class Transfer>
void whole(std::size_t size_bytes, const char* doing, const Transfer& transfer) {
  for (std::size_t done = 0; done < size_bytes;) {
    const ssize_t some = transfer(done);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) {
      throw device_error(formatted("memory shared with a peer cannot be {}: {}", doing,
                                   some < 0 ? std::strerror(errno) : "it is too short"));
    }
    done += static_cast<std::size_t>(some);
  }
}

std::string side_words(const char* name, const side& of) {
  std::vector<std::size_t> strides;
  for (const side_axis& axis : of.axes) strides.push_back(axis.stride);
  return formatted(" {0}_strides={1} {0}_distance={2} {0}_imaginary={3} {0}_bytes={4}", name,
                   joined(strides, "x"), of.batches.front().distance, of.imaginary_at, of.bytes());
}

class process_run final : public contender {
 public:
  process_run(peer_process& peer, const plan_spec& what) : peer_(peer) {
    double found[2] = {};
    number_answers("plan " + words_of(what), "planned", found);
    prepared_.cold_s = found[0];
    prepared_.workspace_bytes = static_cast<long long>(found[1]);
  }
  ~process_run() override {
    try {
      peer_.ask("forget", "forgot");
    } catch (const error&) {  // it is gone, and whoever asks next is told
    }
  }

  void fill(const std::vector<std::byte>& block) override {
    peer_.lend(block);
    peer_.ask(formatted("fill {}", block.size()), "filled");
  }

  double time(std::size_t n_runs) override {
    if (prepared_.first_call_s < 0) prepared_.first_call_s = seconds_of(1);
    return seconds_of(n_runs);
  }

  void read(std::size_t offset_bytes, std::span<std::byte> into) override {
    peer_.ask(formatted("read {} {}", offset_bytes, into.size()), "read");
    peer_.borrow(into);
  }

 private:
  double seconds_of(std::size_t n_runs) {
    double found[1] = {};
    number_answers(formatted("run {}", n_runs), "ran", found);
    if (found[0] > 0) return found[0];
    throw device_error(formatted("a peer says that {} runs took {} s", n_runs, found[0]));
  }

  void number_answers(const std::string& line, const std::string& verb, std::span<double> into) {
    const std::string text = peer_.ask(line, verb);
    if (!numbers_of(text, into)) {
      throw device_error(formatted("a peer answered '{} {}' to '{}'; {} numbers were to follow",
                                   verb, text, line.substr(0, line.find(' ')), into.size()));
    }
  }

  peer_process& peer_;
};

}  // namespace

peer_process::peer_process(const std::filesystem::path& program, const device_info& where,
                           double patience_s)
    : name_(program.filename().string()), patience_s_(patience_s) {
  start(program);
  try {
    if (const std::string hello = answer(); hello != greeting) {
      give_up(formatted("greets with '{}' and not '{}'", hello.substr(0, 60), greeting));
    }
    library_ = ask(
        formatted("open index={} threads={} name={}", where.index, where.compute_units, where.name),
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
  int both[2];
  exchange_ = memfd_create("wingbeat-peer", MFD_CLOEXEC);
  if (exchange_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) {
    end();
    throw device_error(formatted("no connection to a peer could be made: {}", strerror(errno)));
  }
  talk_ = both[0];
  // dup2 onto itself would keep the descriptor from surviving exec: descriptors below 4 move away.
  const int its_talk = fcntl(both[1], F_DUPFD_CLOEXEC, exchange_of_peer + 1);
  const int its_exchange = fcntl(exchange_, F_DUPFD_CLOEXEC, exchange_of_peer + 1);
  close(both[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, its_talk, 0);
  posix_spawn_file_actions_adddup2(&actions, its_talk, 1);
  posix_spawn_file_actions_adddup2(&actions, its_exchange, exchange_of_peer);
  std::string path = program.string();
  char* const words[] = {path.data(), nullptr};
  const int fault = posix_spawn(&process_, path.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(its_talk);
  close(its_exchange);
  if (fault == 0) return;
  process_ = -1;
  end();
  throw absent_error(
      formatted("the peer {} cannot be started: {}", program.string(), strerror(fault)));
}

std::string peer_process::ask(const std::string& line, const std::string& verb) {
  if (!failure_.empty()) throw device_error(failure_);
  const std::string text = line + "\n";
  // A peer that is gone would end this process by a signal; its silence is found below.
  whole(text.size(), "written", [&](std::size_t done) {
    const ssize_t sent = send(talk_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    return sent < 0 && errno == EPIPE ? static_cast<ssize_t>(text.size() - done) : sent;
  });
  const std::string got = answer();
  if (got == verb) return {};
  if (got.starts_with(verb + " ")) return got.substr(verb.size() + 1);
  if (got.starts_with("refused ")) {
    throw plan_error(formatted("the peer {} refuses: {}", name_, got.substr(8)));
  }
  give_up(formatted("answered '{}' to '{}'", got.substr(0, 60), line.substr(0, line.find(' '))));
}

std::string peer_process::answer() {
  const auto patience = std::chrono::duration<double>(patience_s_);
  const auto deadline = clock::now() + std::chrono::duration_cast<clock::duration>(patience);
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (unread_.size() > longest_line) give_up("answered a line that does not end");
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
    pollfd ready{talk_, POLLIN, 0};
    const int n = left > 0 ? poll(&ready, 1, static_cast<int>(left)) : 0;
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) give_up(formatted("said nothing for {:g} s", patience_s_));
    char some[1024];
    const ssize_t got = recv(talk_, some, sizeof some, 0);
    if (got <= 0) give_up(how_it_ended());
    unread_.append(some, static_cast<std::size_t>(got));
  }
}

void peer_process::lend(std::span<const std::byte> bytes) {
  whole(bytes.size(), "written", [&](std::size_t done) {
    return pwrite(exchange_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
  });
}

void peer_process::borrow(std::span<std::byte> bytes) const {
  whole(bytes.size(), "read", [&](std::size_t done) {
    return pread(exchange_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
  });
}

void peer_process::give_up(const std::string& why) {
  end();
  failure_ = formatted("the peer {} {}; it takes no further part", name_, why);
  throw device_error(failure_);
}

/// Waits a moment for the process, which has closed its end, and returns how it ended.
std::string peer_process::how_it_ended() noexcept {
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
  if (talk_ >= 0) close(talk_);
  if (exchange_ >= 0) close(exchange_);
  talk_ = exchange_ = -1;
  if (process_ < 0) return;
  kill(process_, SIGKILL);  // it holds nothing that outlives it
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::unique_ptr<contender> process_contender(peer_process& peer, const plan_spec& what) {
  return std::make_unique<process_run>(peer, what);
}

std::string words_of(const plan_spec& what) {
  const std::size_t batch = what.batch;
  return formatted("kind={} precision={} lengths={} batch={} in_place={}{}{}", name_of(what.kind),
                   name_of(what.real), joined(what.lengths, "x"), batch,
                   what.where == placement::in_place ? 1 : 0, side_words("in", input_side(what)),
                   side_words("out", output_side(what)));
}

}  // namespace wingbeat::cli
