// SPDX-License-Identifier: Apache-2.0
// Interprets the SRC words of a service: network endpoints or files; and reports socket buffers.
#pragma once

#include <string>
#include <vector>

#include "control/service_log.hpp"  // service_log
#include "net/endpoint.hpp"         // endpoint
#include "net/socket_buffers.hpp"   // socket_buffers

namespace wingbeat::cli {

/// Returns whether the words name files. A word does if there is such a file, or if it cannot be an
/// endpoint, because it has letters or a '/' and no ':'. Throws `file_error` for a file that is
/// absent or a directory, and `plan_error` if some words are files and some are endpoints.
[[nodiscard]] bool names_files(const std::vector<std::string>& words);

/// Returns the first word with a capture's name, .pcap, .pcapng or .cap; null if there is none.
[[nodiscard]] const std::string* capture_of(const std::vector<std::string>& words);

/// Throws `plan_error` if there are other words than the capture.
void require_alone(const std::string& capture, const std::vector<std::string>& words);

/// Returns the endpoints of all words.
[[nodiscard]] std::vector<net::endpoint> endpoints_of(const std::vector<std::string>& words);

/// Logs the buffer size that `option` asked for and the size that the system granted, as a warning
/// if it is smaller.
void report_receive_buffers(control::service_log& log, const net::socket_buffers& buffers,
                            const char* option);
void report_send_buffers(control::service_log& log, const net::socket_buffers& buffers,
                         const char* option);

}  // namespace wingbeat::cli
