// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "dispatcher_state.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace ucmad {
namespace detail {
namespace {

/// Calls a function at the end of a scope, also when that is left by an exception.
template <typename Function>
class AtExit {
public:
    explicit AtExit(Function function) : function_(std::move(function)) {}
    ~AtExit() { function_(); }
    AtExit(const AtExit&) = delete;
    AtExit& operator=(const AtExit&) = delete;

private:
    Function function_;
};

/// The listener, if the event is a request; else Handle::any.
Handle listener_of(const EventView& event) noexcept {
    if (const auto* req = event.get_if<ReqReceived>())
        return req->listener;
    if (const auto* req = event.get_if<SidrReqReceived>())
        return req->listener;
    return Handle::any;
}

int checked_result(int result, const char* what) {
    if (result < 0)
        throw std::system_error(system_code(errno), what);
    return result;
}

void watch(const File& epoll, int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    checked_result(epoll_ctl(epoll.fd(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

} // namespace

DispatcherState::DispatcherState(const Context& context, DispatcherOptions options)
    : context_(context.file_), unhandled_(std::move(options.unhandled)),
      stop_event_(checked_result(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      epoll_(checked_result(epoll_create1(EPOLL_CLOEXEC), "epoll_create")) {
    watch(epoll_, context_.fd());
    watch(epoll_, stop_event_.fd());
}

// ---- entries ----------------------------------------------------------------------------------

void DispatcherState::add(Handle object, EventHandler on_event, RequestHandler on_request) {
    auto entry = std::make_shared<Entry>();
    entry->on_event = std::move(on_event);
    entry->on_request = std::move(on_request);
    const std::lock_guard lock{mutex_};
    if (!entries_.try_emplace(object, std::move(entry)).second)
        throw std::system_error(system_code(EEXIST), "the object has a handler already");
}

void DispatcherState::remove(Handle object) noexcept {
    EntryPtr entry; // is freed after the lock
    std::unique_lock lock{mutex_};
    const auto found = entries_.find(object);
    if (found == entries_.end())
        return;
    entry = std::move(found->second);
    entries_.erase(found);
    if (std::ranges::find(entry->runners, std::this_thread::get_id()) != entry->runners.end()) {
        entry->owner = Owner::last_runner;
        return;
    }
    entry->owner = Owner::remover;
    left_.wait(lock, [&] { return entry->runners.empty(); });
}

DispatcherState::Running::Running(DispatcherState& state, Handle object) : state_(state) {
    const std::lock_guard lock{state.mutex_};
    const auto found = state.entries_.find(object);
    if (found == state.entries_.end())
        return;
    found->second->runners.push_back(std::this_thread::get_id());
    entry_ = found->second;
}

DispatcherState::Running::~Running() {
    if (!entry_)
        return;
    const std::lock_guard lock{state_.mutex_};
    auto& runners = entry_->runners;
    runners.erase(std::ranges::find(runners, std::this_thread::get_id()));
    if (entry_->owner == Owner::last_runner)
        return; // the handlers are freed with entry_, after the lock
    if (entry_->owner == Owner::remover && runners.empty())
        state_.left_.notify_all();
    // Under the lock, while the owner still has it: so it is the owner that frees it.
    entry_.reset();
}

// ---- events -----------------------------------------------------------------------------------

void DispatcherState::dispatch(EventBatch& batch, const EventView& event) {
    std::optional<std::uint64_t> new_context;
    const AtExit acknowledge{[&] {
        if (new_context)
            batch.ack(event, *new_context);
        else
            batch.ack(event);
    }};
    if (const Handle listener = listener_of(event); listener != Handle::any)
        dispatch_request(event, listener, new_context);
    else
        dispatch_event(event);
}

void DispatcherState::dispatch_event(const EventView& event) {
    const Running running{*this, event.object};
    if (running.entry() == nullptr)
        dispatch_unhandled(event);
    else if (running.entry()->on_event)
        running.entry()->on_event(event);
}

void DispatcherState::dispatch_request(const EventView& event, Handle listener,
                                       std::optional<std::uint64_t>& new_context) {
    const Running running{*this, listener};
    if (running.entry() == nullptr || !running.entry()->on_request) {
        dispatch_unhandled(event);
        return;
    }
    Request request{
        .id = CmId::adopt(context_, event.object), .event = Event{event}, .context = {}};
    const AtExit take_context{[&] { new_context = request.context; }};
    running.entry()->on_request(request);
}

void DispatcherState::dispatch_unhandled(const EventView& event) {
    if (unhandled_) {
        unhandled_(event);
        return;
    }
    ++dropped_;
    if (listener_of(event) != Handle::any) {
        std::error_code ignored; // if the ID is gone already, so is the peer
        CmId::adopt(context_, event.object).destroy(ignored); // rejects the peer
    }
}

// ---- threads ----------------------------------------------------------------------------------

void DispatcherState::wait_for_events() const {
    epoll_event event{};
    if (epoll_wait(epoll_.fd(), &event, 1, -1) < 0 && errno != EINTR)
        throw std::system_error(system_code(errno), "epoll_wait");
}

bool DispatcherState::run_one(EventBatch& batch) {
    // One event at a time: what a thread has taken waits for that thread, though others may be
    // idle.
    constexpr TakeOptions one{.object = Handle::any, .timeout = no_wait, .max_events = 1};
    std::error_code ec;
    const std::size_t count = context_.take(batch, one, ec);
    if (ec && ec != std::errc::interrupted)
        throw std::system_error(ec, "taking events");
    for (const EventView& event : batch)
        dispatch(batch, event);
    return count > 0;
}

void DispatcherState::acknowledge(EventBatch& batch) const noexcept {
    std::error_code ignored; // can only fail with the file, and then nothing is held any more
    context_.flush(batch, ignored);
}

void DispatcherState::run() {
    EventBatch batch;
    const AtExit acknowledge_last{[&] { acknowledge(batch); }};
    while (!stopped_)
        if (!run_one(batch))
            wait_for_events();
}

std::size_t DispatcherState::poll() {
    EventBatch batch;
    const AtExit acknowledge_last{[&] { acknowledge(batch); }};
    std::size_t count = 0;
    while (!stopped_ && run_one(batch))
        ++count;
    return count;
}

void DispatcherState::start(unsigned threads) {
    const std::lock_guard lock{mutex_};
    if (!threads_.empty())
        throw std::system_error(system_code(EBUSY), "the threads were started already");
    threads_.reserve(threads);
    while (threads_.size() < threads)
        threads_.emplace_back([this] { run(); });
}

void DispatcherState::stop() noexcept {
    stopped_ = true;
    const std::uint64_t one = 1;
    // Fails only when the counter is full, and then the event is readable as it should be.
    [[maybe_unused]] const ssize_t written = write(stop_event_.fd(), &one, sizeof one);
}

void DispatcherState::join() {
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock{mutex_};
        threads.swap(threads_);
    }
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace detail

// ---- the public classes -----------------------------------------------------------------------

Registration::Registration(std::shared_ptr<detail::DispatcherState> state, Handle object) noexcept
    : state_(std::move(state)), object_(object) {}

Registration::Registration(Registration&& other) noexcept = default;

Registration& Registration::operator=(Registration&& other) noexcept {
    if (this != &other) {
        deregister();
        state_ = std::move(other.state_);
        object_ = other.object_;
    }
    return *this;
}

void Registration::deregister() noexcept {
    // Moved out first: the handler that is freed by this may own the Registration.
    if (const auto state = std::move(state_))
        state->remove(object_);
}

Dispatcher::Dispatcher(const Context& context, DispatcherOptions options)
    : state_(std::make_shared<detail::DispatcherState>(context, std::move(options))) {}

Dispatcher::~Dispatcher() {
    stop();
    join();
}

Registration Dispatcher::add(const Object& object, EventHandler handler) {
    state_->add(object.handle(), std::move(handler), {});
    return {state_, object.handle()};
}

Registration Dispatcher::add_listener(const CmId& id, RequestHandler on_request,
                                      EventHandler on_event) {
    state_->add(id.handle(), std::move(on_event), std::move(on_request));
    return {state_, id.handle()};
}

void Dispatcher::run() { state_->run(); }

std::size_t Dispatcher::poll() { return state_->poll(); }

void Dispatcher::start(unsigned threads) { state_->start(threads); }

void Dispatcher::stop() noexcept { state_->stop(); }

void Dispatcher::join() { state_->join(); }

std::uint64_t Dispatcher::dropped() const noexcept { return state_->dropped(); }

} // namespace ucmad
