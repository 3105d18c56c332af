// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Runs handlers of events on any number of threads.
#pragma once

#include <ucmad/context.hpp>
#include <ucmad/event.hpp>
#include <ucmad/listener.hpp>
#include <ucmad/types.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace ucmad {

namespace detail {
class DispatcherState;
} // namespace detail

/// Called with each event of an object. Handlers of one object never run side by side; those of
/// different objects do (EV-SERIAL). The view is valid until the handler returns, then the event is
/// acknowledged.
using EventHandler = std::function<void(const EventView&)>;

/// Called with each REQ or SIDR REQ of a listener, for different requests by several threads at
/// once. A handler that wants the request moves its `id` out (and registers a handler for it, which
/// is then called with all its later events, EV-ACCEPT); else the peer is rejected when it returns.
/// The event is acknowledged after it has returned, with Request::context if that is set.
using RequestHandler = std::function<void(Request&)>;

/// Keeps a handler registered. Movable. The handler does not run any more once deregister() or the
/// destructor has returned: they wait for a handler of that object that runs on another thread.
/// Called from inside a handler of the object they do not wait, and the handler that runs is kept
/// until it returns: it may destroy its own registration, its CmId, and what it captured by
/// reference.
///
/// Two handlers that deregister each other's object at the same time would wait for each other for
/// ever.
class [[nodiscard]] Registration {
public:
    /// Nothing is registered.
    Registration() = default;

    UCMAD_API Registration(Registration&& other) noexcept;
    UCMAD_API Registration& operator=(Registration&& other) noexcept;
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration() { deregister(); }

    UCMAD_API void deregister() noexcept;

    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    friend class Dispatcher;

    Registration(std::shared_ptr<detail::DispatcherState> state, Handle object) noexcept;

    std::shared_ptr<detail::DispatcherState> state_;
    Handle object_ = Handle::any;
};

struct DispatcherOptions {
    /// Called with events of objects that have no handler (any more), by several threads at once;
    /// the object may have been deregistered or destroyed after the event was taken. The new CM ID
    /// of a REQ that comes here is the handler's, see CmId::adopt().
    ///
    /// Without it such events are dropped and counted, and peers whose REQ it was are rejected.
    EventHandler unhandled{};
};

/// Takes events of a Context and runs the handlers of their objects.
///
///     Dispatcher dispatcher{context};
///     Registration registration = dispatcher.add(id, [&](const EventView& event) { ... });
///     id.req(params);
///     dispatcher.start(4);
///
/// While it runs it takes the events of *all* objects of the file, save those for which a targeted
/// call waits; so register a handler before an object can have its first event. All members may be
/// called from any thread and from handlers, if nothing else is said.
///
/// A thread takes an event and acknowledges the one before with one ioctl while there are events,
/// and waits in epoll_wait() when there are none.
class Dispatcher {
public:
    /// The file stays open as long as the Dispatcher is there.
    UCMAD_API explicit Dispatcher(const Context& context, DispatcherOptions options = {});

    /// Stops, and waits for the threads of start(). Not to be called from a handler, nor while a
    /// thread is in run(). Registrations may outlive it.
    UCMAD_API ~Dispatcher();

    Dispatcher(const Dispatcher&) = delete;
    Dispatcher& operator=(const Dispatcher&) = delete;

    /// Has the handler called with each event of the object. Error: EEXIST it has a handler
    /// already.
    UCMAD_API Registration add(const Object& object, EventHandler handler);

    /// Has `on_request` called with each request of the listener, and `on_event`, if given, with
    /// its own events (DeviceRemoved). Error: EEXIST.
    UCMAD_API Registration add_listener(const CmId& id, RequestHandler on_request,
                                        EventHandler on_event = {});

    /// Runs handlers on the calling thread until stop(). What a handler throws comes out here: the
    /// event counts as handled and is acknowledged, and the other threads go on.
    /// Errors: those of Context::take(), EINTR apart.
    UCMAD_API void run();

    /// Runs the handlers of all events that are there, and does not wait for more; for a loop that
    /// polls Context::fd() itself, see <ucmad/asio.hpp>. Returns how many events there were. Errors
    /// as run().
    UCMAD_API std::size_t poll();

    /// Runs handlers on so many new threads. What a handler throws there ends the program
    /// (std::terminate). Error: EBUSY they were started already.
    UCMAD_API void start(unsigned threads = 1);

    /// Has all threads return once the handler that they run has returned. For good: run() returns
    /// at once afterwards. Events that were not taken stay in the file. May be called from a signal
    /// handler.
    UCMAD_API void stop() noexcept;

    /// Waits until the threads of start() have returned, that is, for stop(). Not to be called from
    /// a handler that runs on one of them.
    UCMAD_API void join();

    /// Events that were dropped because their object had no handler.
    [[nodiscard]] UCMAD_API std::uint64_t dropped() const noexcept;

private:
    std::shared_ptr<detail::DispatcherState> state_;
};

} // namespace ucmad
