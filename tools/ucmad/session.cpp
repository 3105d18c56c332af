// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "session.hpp"

#include "select.hpp"

#include <array>
#include <cerrno>
#include <poll.h>

namespace ucmad::tool {
namespace {

timespec to_timespec(Timeout timeout) noexcept {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(timeout);
    return {.tv_sec = seconds.count(), .tv_nsec = (timeout - seconds).count()};
}

} // namespace

Session::Session(const LocalOptions& options, const Output& output)
    : options_(options), output_(output), context_(open_context()),
      device_(choose_device(context_, options)), verbs_(device_.name) {
    output.detail("device {}", device_.name);
}

Path Session::path_to(const PeerOptions& peer) const {
    const std::uint8_t port = choose_port(device_, verbs_.context(), options_);
    return tool::path_to(peer, device_, verbs_.context(), port, options_);
}

Session::Ready Session::wait(Timeout timeout, int input) {
    const auto readable = [](int fd) { return pollfd{.fd = fd, .events = POLLIN, .revents = 0}; };
    std::array fds{readable(interrupt_.fd()), readable(context_.fd()),
                   readable(verbs_.completion_fd()), readable(input)};
    const timespec time = to_timespec(timeout);
    if (ppoll(fds.data(), fds.size(), timeout < no_wait ? nullptr : &time, nullptr) < 0) {
        if (errno == EINTR)
            return {};
        throw std::system_error(errno, std::system_category(), "poll");
    }
    const Ready ready{.interrupt = fds[0].revents != 0,
                      .event = fds[1].revents != 0,
                      .completion = fds[2].revents != 0,
                      .input = fds[3].revents != 0};
    if (ready.interrupt)
        interrupt_.take();
    return ready;
}

} // namespace ucmad::tool
