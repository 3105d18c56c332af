// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// The open file descriptor, shared by a Context and the objects that were made through it.
#pragma once

#include "ioctl.hpp"

#include <system_error>
#include <utility>

namespace ucmad::detail {

inline std::error_code system_code(int error) noexcept { return {error, std::system_category()}; }

/// An ABI struct, zero but for its size.
template <typename Struct>
Struct make_argument() noexcept {
    Struct argument{};
    argument.size = sizeof(Struct);
    return argument;
}

template <typename Struct>
std::error_code call(int fd, unsigned long request, Struct& argument) noexcept {
    return system_code(device_ioctl(fd, request, &argument));
}

class File {
public:
    explicit File(int fd) noexcept : fd_(fd) {}
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] int fd() const noexcept { return fd_; }

private:
    int fd_;
};

/// Makes the throwing form of a call of its non-throwing one: `checked("what", [&](auto& ec)
/// {...})`.
template <typename Function>
decltype(auto) checked(const char* what, Function&& function) {
    std::error_code ec;
    if constexpr (std::is_void_v<std::invoke_result_t<Function, std::error_code&>>) {
        std::forward<Function>(function)(ec);
        if (ec)
            throw std::system_error(ec, what);
    } else {
        auto result = std::forward<Function>(function)(ec);
        if (ec)
            throw std::system_error(ec, what);
        return result;
    }
}

} // namespace ucmad::detail
