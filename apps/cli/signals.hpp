// SPDX-License-Identifier: Apache-2.0
// Removal of unfinished files when a signal ends the program.
#pragma once

namespace wingbeat::cli {

/// Installs handlers for the signals by which users and systems end a program (SIGHUP, SIGINT,
/// SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU). They remove the temporary files of outputs, then the
/// program ends by the same signal. A signal that the parent ignores, as nohup does, stays ignored.
/// SIGXFSZ becomes ignored, so that a file at its size limit is an error of the write (EFBIG).
void remove_temporary_files_on_signals();

}  // namespace wingbeat::cli
