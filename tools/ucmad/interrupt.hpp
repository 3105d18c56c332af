// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
#pragma once

namespace ucmad::tool {

/// Turns the first SIGINT (Ctrl-C) or SIGTERM into something that poll() can wait for. The second
/// one ends the program at once, as without this. One at a time, made before any thread.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    /// Readable when the signal came.
    [[nodiscard]] int fd() const noexcept { return fd_; }

    /// To be called when fd() is readable.
    void take() const noexcept;

private:
    int fd_ = -1;
};

} // namespace ucmad::tool
