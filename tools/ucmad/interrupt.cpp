// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "interrupt.hpp"

#include <cerrno>
#include <csignal>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

namespace ucmad::tool {
namespace {

sigset_t signals() noexcept {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

} // namespace

Interrupt::Interrupt() {
    const sigset_t set = signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd_ < 0)
        throw std::system_error(errno, std::system_category(), "signalfd");
}

Interrupt::~Interrupt() { close(fd_); }

void Interrupt::take() const noexcept {
    signalfd_siginfo info{};
    if (read(fd_, &info, sizeof info) != sizeof info)
        return;
    const sigset_t set = signals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace ucmad::tool
