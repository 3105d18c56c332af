// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// The open file: devices and events.
#pragma once

#include <ucmad/event.hpp>
#include <ucmad/types.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ucmad {

namespace detail {
class DispatcherState;
class File;
} // namespace detail

/// Where udev and devtmpfs put the character device.
inline constexpr std::string_view default_device_path = "/dev/infiniband/ucmad";

/// What the loaded module can do.
struct ModuleInfo {
    std::uint32_t abi_version = 0;
    std::uint64_t features = 0;       ///< UCMAD_FEATURE_* bits.
    std::uint32_t max_objects = 0;    ///< Objects that one file may have at a time.
    std::uint32_t max_backlog = 0;    ///< Largest backlog of a listener.
    std::uint32_t max_event_size = 0; ///< A buffer of so many bytes takes any event.
};

/// An RDMA device that the file may use.
struct DeviceInfo {
    std::uint32_t index = 0;      ///< Names the device until it is removed; ibv_get_device_index().
    std::uint32_t port_count = 0; ///< Physical ports, numbered from 1.
    std::uint64_t node_guid = 0;  ///< Host byte order.
    std::uint64_t roce_ports = 0; ///< Bit n is set if port n speaks RoCE.
    std::string name{};           ///< As ibv_get_device_name(). An administrator can change it.

    /// True if the port speaks RoCE, false if it speaks InfiniBand.
    [[nodiscard]] bool is_roce(std::uint8_t port) const noexcept {
        return port < 64 && ((roce_ports >> port) & 1) != 0;
    }
};

/// What Context::take() shall take.
struct TakeOptions {
    Handle object =
        Handle::any;           ///< Events of this object only (EV-TARGET), of a listener its REQs.
    Timeout timeout = forever; ///< How long to wait for the first event.
    std::uint32_t max_events = 0; ///< At most so many; 0: as many as fit.
};

/// A buffer for events, and the acknowledgements that the next call shall carry out (EV-BATCH). It
/// is made once and used for many calls; one thread at a time.
///
///     EventBatch batch;
///     while (context.take(batch) > 0)
///         for (const EventView& event : batch) {
///             handle(event);
///             batch.ack(event);
///         }
class EventBatch {
public:
    static constexpr std::size_t default_size = 16384;

    /// `bytes` of buffer at the start. It grows by itself if an event needs more (EV-TOOSMALL).
    UCMAD_API explicit EventBatch(std::size_t bytes = default_size);

    [[nodiscard]] auto begin() const noexcept { return events_.begin(); }
    [[nodiscard]] auto end() const noexcept { return events_.end(); }
    [[nodiscard]] std::size_t size() const noexcept { return events_.size(); }
    [[nodiscard]] bool empty() const noexcept { return events_.empty(); }
    [[nodiscard]] const EventView& operator[](std::size_t i) const noexcept { return events_[i]; }

    /// Has the next take() or flush() acknowledge the event, and all earlier ones of its object.
    /// Does nothing if the event does not hold its object.
    UCMAD_API void ack(const EventBase& event);

    /// The same, and gives the object a new user context in the same step (EV-CONTEXT).
    UCMAD_API void ack(const EventBase& event, std::uint64_t new_context);

    /// Acknowledges all events of the batch.
    UCMAD_API void ack_all();

    /// Acknowledgements that wait for the next take() or flush(). They are lost with the batch.
    [[nodiscard]] std::size_t pending_acks() const noexcept { return acks_.size(); }

private:
    friend class Context;

    std::vector<std::uint64_t> buffer_;
    std::vector<EventView> events_;
    std::vector<Ack> acks_;
};

/// An open file of the module. All objects that are made through it share its event queue; a
/// program may have several. Calls from several threads need no lock, moving and destroying apart.
///
/// The file is closed, and with it all that is left of it in the kernel (DEL-EXIT), when the
/// Context and all objects that were made through it are gone.
class Context {
public:
    /// Opens the device. The message of the error says what to do: ENOENT (module not loaded),
    /// EACCES (no permission), ENXIO or ENODEV; EPROTO if the module speaks another version of the
    /// ABI.
    UCMAD_API explicit Context(const std::string& path = std::string{default_device_path});

    /// Takes over a descriptor of the open device, from another process, say.
    UCMAD_API explicit Context(int fd);

    UCMAD_API Context(Context&&) noexcept;
    UCMAD_API Context& operator=(Context&&) noexcept;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    UCMAD_API ~Context();

    /// For poll, epoll and select: readable exactly when take() with `no_wait` and any object would
    /// return an event (EV-POLL). Stays the Context's.
    [[nodiscard]] UCMAD_API int fd() const noexcept;

    [[nodiscard]] UCMAD_API ModuleInfo query() const;

    /// The RDMA devices that have a CM and that the network namespace can reach.
    [[nodiscard]] UCMAD_API std::vector<DeviceInfo> devices() const;

    /// The device of that name. Error: ENODEV, with the names that there are in its message.
    [[nodiscard]] UCMAD_API DeviceInfo device(std::string_view name) const;

    /// Carries out the acknowledgements that the batch has collected, then takes events into it,
    /// all in one system call. What was in the batch is gone, whether it fails or not.
    ///
    /// Returns how many events it took. 0: there was none in time, which is no error.
    /// Errors: EINTR a signal came; ESHUTDOWN the named object was destroyed meanwhile, ENOENT or
    /// before (DEL-SILENT); EBADMSG what the module said makes no sense.
    UCMAD_API std::size_t take(EventBatch& batch, const TakeOptions& options = {}) const;
    UCMAD_API std::size_t take(EventBatch& batch, const TakeOptions& options,
                               std::error_code& ec) const;

    /// Takes one event of an object (or of any). An event that holds its object is to be
    /// acknowledged: hand its Ack to the next call or to ack(). Errors as take().
    [[nodiscard]] UCMAD_API std::optional<Event> next(Handle object, Timeout timeout = forever,
                                                      std::span<const Ack> acks = {}) const;
    [[nodiscard]] UCMAD_API std::optional<Event>
    next(Handle object, Timeout timeout, std::span<const Ack> acks, std::error_code& ec) const;

    /// Carries out the acknowledgements that the batch has collected. Returns how many of them
    /// there was nothing held for (any more), which is no error.
    UCMAD_API std::uint32_t flush(EventBatch& batch) const;
    UCMAD_API std::uint32_t flush(EventBatch& batch, std::error_code& ec) const noexcept;

    /// Carries out acknowledgements; returns as flush().
    UCMAD_API std::uint32_t ack(std::span<const Ack> acks) const;
    UCMAD_API std::uint32_t ack(std::span<const Ack> acks, std::error_code& ec) const noexcept;

private:
    friend class CmId;
    friend class MadAgent;
    friend class Object;
    friend class detail::DispatcherState;

    explicit Context(std::shared_ptr<const detail::File> file) noexcept;

    std::shared_ptr<const detail::File> file_;
};

} // namespace ucmad
