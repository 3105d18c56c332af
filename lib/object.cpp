// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/object.hpp>

#include "abi.hpp"
#include "file.hpp"

#include <cerrno>
#include <utility>

namespace ucmad {

using detail::checked;
using detail::system_code;

Object::Object(std::shared_ptr<const detail::File> file, Handle handle) noexcept
    : file_(std::move(file)), handle_(handle) {}

Object::Object(Object&& other) noexcept
    : file_(std::move(other.file_)), handle_(other.handle_.exchange(Handle::any)) {}

Object& Object::operator=(Object&& other) noexcept {
    if (this != &other) {
        std::error_code ignored; // an object that the kernel does not have needs no destroying
        destroy(ignored);
        file_ = std::move(other.file_);
        handle_ = other.handle_.exchange(Handle::any);
    }
    return *this;
}

Object::~Object() {
    std::error_code ignored;
    destroy(ignored);
}

Handle Object::release() noexcept {
    // file_ is let be: another thread may be reading it.
    return handle_.exchange(Handle::any);
}

int Object::fd() const noexcept { return *this ? file_->fd() : -1; }

void Object::call(unsigned long request, void* argument, std::error_code& ec) const noexcept {
    ec = *this ? system_code(detail::device_ioctl(file_->fd(), request, argument))
               : system_code(EBADF);
}

std::uint32_t Object::destroy(std::error_code& ec) noexcept {
    ec.clear();
    const Handle object = release();
    if (object == Handle::any)
        return 0;
    auto argument = detail::make_argument<ucmad_destroy>();
    argument.object = static_cast<__u32>(object);
    ec = detail::call(file_->fd(), UCMAD_IOCTL_DESTROY, argument);
    return argument.discarded;
}

std::uint32_t Object::destroy() {
    return checked("destroying an object", [&](auto& ec) { return destroy(ec); });
}

void Object::set_context(std::uint64_t user_context, std::error_code& ec) const noexcept {
    ucmad_set_context argument{};
    argument.context = user_context;
    call(UCMAD_IOCTL_SET_CONTEXT, argument, ec);
}

void Object::set_context(std::uint64_t user_context) const {
    checked("setting a user context", [&](auto& ec) { set_context(user_context, ec); });
}

std::optional<Event> Object::next(Timeout timeout, std::span<const Ack> acks,
                                  std::error_code& ec) const {
    const Handle object = handle();
    if (object == Handle::any) {
        ec = system_code(EBADF);
        return std::nullopt;
    }
    return Context{file_}.next(object, timeout, acks, ec);
}

std::optional<Event> Object::next(Timeout timeout, std::span<const Ack> acks) const {
    return checked("waiting for an event", [&](auto& ec) { return next(timeout, acks, ec); });
}

} // namespace ucmad
