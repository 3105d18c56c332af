// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// What a Dispatcher and its Registrations share.
#pragma once

#include "file.hpp"

#include <ucmad/dispatcher.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

namespace ucmad::detail {

/// How handlers and deregistration meet.
///
/// The kernel keeps the events of one object in a row: an event that was taken holds its object
/// until it is acknowledged (EV-SERIAL), and a thread acknowledges it after the handler has
/// returned, with the ioctl that takes its next event. So no two threads run handlers of one
/// object, and what is left to do here is to let deregistration wait for the handler that runs.
///
/// An entry is in one of these states:
///
///   registered   in the table: events of its object find it.
///   running      registered, and `runners` names the threads that are in its handlers: one for
///                events, any number for requests of a listener, which are as many objects' events.
///   leaving      out of the table, `runners` not empty: no thread enters a handler any more, some
///                are still inside.
///   gone         out of the table, no runners; the handlers and their captures are freed.
///
///   registered --dispatch--> running --handler returns--> registered
///   registered --remove--> gone
///   running --remove--> leaving --last handler returns--> gone
///
/// remove() on a thread that is not among the runners waits in "leaving" until no runner is left,
/// and frees the entry. A runner that removes its own entry does not wait; the last that leaves
/// frees it. `owner` says which, so that nothing of an entry outlives the remove() that waited for
/// it.
///
/// Lock: `mutex_` guards the table, all members of entries but the handlers themselves, the list of
/// threads. It is never held while a handler runs or is freed, nor during an ioctl; it is the
/// only lock, so there is no order. `left_` is signalled when an entry that is waited for loses its
/// last runner.
class DispatcherState {
public:
    DispatcherState(const Context& context, DispatcherOptions options);
    ~DispatcherState() = default;
    DispatcherState(const DispatcherState&) = delete;
    DispatcherState& operator=(const DispatcherState&) = delete;

    void add(Handle object, EventHandler on_event, RequestHandler on_request);
    void remove(Handle object) noexcept;

    void run();
    std::size_t poll();
    void start(unsigned threads);
    void stop() noexcept;
    void join();

    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

private:
    enum class Owner { table, remover, last_runner };

    struct Entry {
        EventHandler on_event;
        RequestHandler on_request;
        std::vector<std::thread::id> runners;
        Owner owner = Owner::table;
    };
    using EntryPtr = std::shared_ptr<Entry>;

    /// Makes the calling thread a runner of an entry while it exists.
    class Running {
    public:
        Running(DispatcherState& state, Handle object);
        ~Running();
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

        /// Null if the object has no entry.
        [[nodiscard]] Entry* entry() const noexcept { return entry_.get(); }

    private:
        DispatcherState& state_;
        EntryPtr entry_;
    };

    void dispatch(EventBatch& batch, const EventView& event);
    void dispatch_event(const EventView& event);
    void dispatch_request(const EventView& event, Handle listener,
                          std::optional<std::uint64_t>& new_context);
    void dispatch_unhandled(const EventView& event);
    /// Acknowledges what the batch has collected and takes and handles one event; false if there is
    /// none.
    bool run_one(EventBatch& batch);
    void acknowledge(EventBatch& batch) const noexcept;
    void wait_for_events() const;

    const Context context_;
    const EventHandler unhandled_;
    const File stop_event_; ///< eventfd, readable for good after stop().
    const File epoll_;      ///< Readable when the Context or stop_event_ is.
    std::atomic<bool> stopped_ = false;
    std::atomic<std::uint64_t> dropped_ = 0;

    std::mutex mutex_;
    std::condition_variable left_;
    std::unordered_map<Handle, EntryPtr> entries_;
    std::vector<std::thread> threads_;
};

} // namespace ucmad::detail
