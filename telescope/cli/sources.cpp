// SPDX-License-Identifier: Apache-2.0
#include "cli/sources.hpp"

#include <algorithm>  // any_of, find_if
#include <cctype>     // isalpha
#include <filesystem>

#include "formats/files/refusal.hpp"  // refuse
#include "text/formatted.hpp"         // formatted, joined
#include "text/reject.hpp"            // reject

namespace wingbeat::cli {
namespace {

bool is_file(const std::string& word) {
  std::error_code failed;
  if (std::filesystem::exists(word, failed)) return true;
  const bool is_name = std::any_of(
      word.begin(), word.end(), [](unsigned char c) { return std::isalpha(c) != 0 || c == '/'; });
  return is_name && word.find(':') == word.npos;
}

void write_buffers(control::service_log& log, const net::socket_buffers& buffers,
                   const std::string& sentence) {
  if (buffers.n_sockets == 0) return;
  log.write(buffers.is_short() ? control::log_level::warn : control::log_level::info, sentence);
}

}  // namespace

bool names_files(const std::vector<std::string>& words) {
  const std::string *file = nullptr, *endpoint = nullptr;
  for (const std::string& word : words) (is_file(word) ? file : endpoint) = &word;
  if (file != nullptr && endpoint != nullptr) {
    reject(
        "{} names a file and {} endpoints; give files alone, or endpoints "
        "alone",
        *file, *endpoint);
  }
  if (file == nullptr) return false;
  std::error_code failed;
  for (const std::string& word : words) {
    if (!std::filesystem::exists(word, failed)) {
      formats::refuse(word,
                      "there is no such file; give one, or endpoints such as 239.10.10.10+7:7148");
    }
    if (std::filesystem::is_directory(word, failed)) {
      formats::refuse(word, "is a directory; give a file");
    }
  }
  return true;
}

const std::string* capture_of(const std::vector<std::string>& words) {
  const auto found = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    const auto extension = std::filesystem::path(word).extension();
    return extension == ".pcap" || extension == ".pcapng" || extension == ".cap";
  });
  return found == words.end() ? nullptr : &*found;
}

void require_alone(const std::string& capture, const std::vector<std::string>& words) {
  if (words.size() == 1) return;
  reject("{} is a capture, and another SRC is given; give it alone", capture);
}

std::vector<net::endpoint> endpoints_of(const std::vector<std::string>& words) {
  return net::parse_endpoints(joined(words, ","));
}

void report_receive_buffers(control::service_log& log, const net::socket_buffers& buffers,
                            const char* option) {
  write_buffers(log, buffers,
                net::sentence_of(buffers, "receive buffers", option, "net.core.rmem_max"));
}

void report_send_buffers(control::service_log& log, const net::socket_buffers& buffers,
                         const char* option) {
  write_buffers(log, buffers,
                net::sentence_of(buffers, "send buffers", option, "net.core.wmem_max"));
}

}  // namespace wingbeat::cli
