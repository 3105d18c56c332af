// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// What CM IDs and MAD agents have in common.
#pragma once

#include <ucmad/context.hpp>
#include <ucmad/event.hpp>
#include <ucmad/types.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <system_error>

namespace ucmad {

/// Base of CmId and MadAgent: owns a handle. Destroys the object when it goes, which never waits
/// for user space (DEL-NOWAIT-USER).
///
/// All const members and destroy() may be called from any thread at any time; threads that wait in
/// next() while another calls destroy() get ESHUTDOWN (EBADF if they come later). Moving and
/// destructing need the care that any C++ object does.
class Object {
public:
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;

    [[nodiscard]] Handle handle() const noexcept { return handle_.load(); }
    [[nodiscard]] explicit operator bool() const noexcept { return handle() != Handle::any; }

    /// Lets go of the object without destroying it.
    UCMAD_API Handle release() noexcept;

    /// Destroys the object; afterwards this is empty. Returns how many of its events nobody will
    /// see any more (DEL-COUNT). Once it has returned no call returns an event of the object
    /// (DEL-SILENT).
    UCMAD_API std::uint32_t destroy();
    UCMAD_API std::uint32_t destroy(std::error_code& ec) noexcept;

    /// Changes the user context, for all events that are taken from now on.
    UCMAD_API void set_context(std::uint64_t user_context) const;
    UCMAD_API void set_context(std::uint64_t user_context, std::error_code& ec) const noexcept;

    /// The next event of this object, and of no other (EV-TARGET); of a listener also its REQs. See
    /// Context::next().
    [[nodiscard]] UCMAD_API std::optional<Event> next(Timeout timeout = forever,
                                                      std::span<const Ack> acks = {}) const;
    [[nodiscard]] UCMAD_API std::optional<Event> next(Timeout timeout, std::span<const Ack> acks,
                                                      std::error_code& ec) const;

    /// Descriptor of the file that the object belongs to; -1 if this is empty.
    [[nodiscard]] UCMAD_API int fd() const noexcept;

protected:
    Object() = default;
    UCMAD_API Object(std::shared_ptr<const detail::File> file, Handle handle) noexcept;
    UCMAD_API Object(Object&& other) noexcept;
    UCMAD_API Object& operator=(Object&& other) noexcept;
    UCMAD_API ~Object();

    /// An ioctl on the object; fills in the first two members of its struct. EBADF if this is
    /// empty.
    template <typename Struct>
    void call(unsigned long request, Struct& argument, std::error_code& ec) const noexcept {
        argument.size = sizeof argument;
        argument.object = static_cast<std::uint32_t>(handle());
        call(request, static_cast<void*>(&argument), ec);
    }

    [[nodiscard]] const std::shared_ptr<const detail::File>& file() const noexcept { return file_; }

private:
    UCMAD_API void call(unsigned long request, void* argument, std::error_code& ec) const noexcept;

    std::shared_ptr<const detail::File> file_;
    std::atomic<Handle> handle_ = Handle::any;
};

} // namespace ucmad
