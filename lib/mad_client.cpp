// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <ucmad/mad_client.hpp>

#include "file.hpp"

#include <cerrno>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace ucmad {

namespace detail {

/// The sends of a client. A send is in one of these states:
///
///   pending   its handler is in the table, under the cookie that the module was given
///   over      its handler was taken out, by the one who calls it
///
/// The completion takes it out; or deregister(), after the module has forgotten the agent, so that
/// no completion comes any more; or post(), if the module has not accepted the send. Whoever finds
/// it there is the one, and so each handler is called once or, if post() fails, never.
///
/// Lock: `mutex_` guards the table and `closed_`. It is not held while a handler runs, nor during
/// an ioctl.
class MadClientState {
public:
    MadClientState(const Context& context, const MadAgentParams& params, MadClientHandlers handlers)
        : agent_(MadAgent::create(context, params)), handlers_(std::move(handlers)) {}

    [[nodiscard]] const MadAgent& agent() const noexcept { return agent_; }

    void listen(Dispatcher& dispatcher, std::shared_ptr<MadClientState> self) {
        registration_ = dispatcher.add(
            agent_, [self = std::move(self)](const EventView& event) { self->handle(event); });
    }

    SendHandle post(MadSend send, SendHandler handler) {
        send.cookie = add(std::move(handler));
        std::error_code ec;
        const SendHandle handle = agent_.post(send, ec);
        // If it is not there any more, deregister() has ended it.
        if (ec && take(send.cookie))
            throw std::system_error(closed() ? system_code(ESHUTDOWN) : ec, "posting a MAD");
        return handle;
    }

    std::size_t deregister() noexcept {
        {
            const std::lock_guard lock{mutex_};
            closed_ = true;
        }
        registration_.deregister();
        std::error_code ignored; // an agent that the module does not have needs no destroying
        agent_.destroy(ignored);
        Table left;
        {
            const std::lock_guard lock{mutex_};
            left.swap(pending_);
        }
        for (auto& [cookie, handler] : left)
            if (handler)
                handler({});
        return left.size();
    }

private:
    using Table = std::unordered_map<std::uint64_t, SendHandler>;

    [[nodiscard]] bool closed() {
        const std::lock_guard lock{mutex_};
        return closed_;
    }

    std::uint64_t add(SendHandler handler) {
        const std::lock_guard lock{mutex_};
        if (closed_)
            throw std::system_error(system_code(ESHUTDOWN), "the agent is deregistered");
        pending_.emplace(++last_cookie_, std::move(handler));
        return last_cookie_;
    }

    /// The node with the handler; empty if it is not there any more.
    Table::node_type take(std::uint64_t cookie) noexcept {
        const std::lock_guard lock{mutex_};
        return pending_.extract(cookie);
    }

    void handle(const EventView& event) {
        if (const auto* done = event.get_if<SendCompleted>())
            complete(*done, event.private_data);
        else if (const auto* received = event.get_if<MadReceived>()) {
            if (handlers_.received)
                handlers_.received({received->request, received->from, event.private_data});
        } else if (event.get_if<DeviceRemoved>() != nullptr && handlers_.removed)
            handlers_.removed();
    }

    void complete(const SendCompleted& done, Bytes mad) {
        const auto node = take(done.cookie);
        if (node && node.mapped())
            node.mapped()({
                .status = done.status,
                .tries = done.tries,
                .wc_status = done.wc_status,
                .from = done.from,
                .mad = {mad.begin(), mad.end()},
            });
    }

    MadAgent agent_;
    const MadClientHandlers handlers_;
    Registration registration_;
    std::mutex mutex_;
    Table pending_;
    std::uint64_t last_cookie_ = 0;
    bool closed_ = false;
};

} // namespace detail

void MadRequest::await_suspend(std::coroutine_handle<> waiting) {
    // The coroutine may go on, and this be gone with it, before post() returns.
    const auto state = state_;
    state->post({.mad = mad_, .to = to_, .patience = patience_}, [this, waiting](MadResult result) {
        result_ = std::move(result);
        waiting.resume();
    });
}

MadClient::MadClient(Dispatcher& dispatcher, const Context& context, const MadAgentParams& params,
                     MadClientHandlers handlers)
    : state_(std::make_shared<detail::MadClientState>(context, params, std::move(handlers))) {
    state_->listen(dispatcher, state_);
}

MadClient::MadClient(MadClient&&) noexcept = default;

MadClient& MadClient::operator=(MadClient&& other) noexcept {
    if (this != &other) {
        deregister();
        state_ = std::move(other.state_);
    }
    return *this;
}

MadClient::~MadClient() { deregister(); }

SendHandle MadClient::post(Bytes mad, const MadAddress& to, const Patience& patience,
                           SendHandler handler) {
    return state_->post({.mad = mad, .to = to, .patience = patience}, std::move(handler));
}

std::future<MadResult> MadClient::submit(Bytes mad, const MadAddress& to,
                                         const Patience& patience) {
    // Handlers must be copyable, promises are not.
    auto promise = std::make_shared<std::promise<MadResult>>();
    auto future = promise->get_future();
    post(mad, to, patience, [promise](MadResult result) { promise->set_value(std::move(result)); });
    return future;
}

MadRequest MadClient::request(Bytes mad, const MadAddress& to, const Patience& patience) {
    return {state_, mad, to, patience};
}

SendHandle MadClient::answer(const IncomingMad& incoming, Bytes mad, SendHandler handler) {
    return state_->post({.mad = mad, .in_reply_to = incoming.request}, std::move(handler));
}

void MadClient::cancel(SendHandle send) noexcept { state_->agent().cancel(send); }

void MadClient::cancel_all() noexcept { state_->agent().cancel_all(); }

void MadClient::set_timeout(SendHandle send, std::chrono::milliseconds timeout) {
    state_->agent().set_timeout(send, timeout);
}

MadAgentInfo MadClient::query() const { return state_->agent().query(); }

std::size_t MadClient::deregister() noexcept {
    // A handler that is called may destroy this.
    const auto state = state_;
    return state ? state->deregister() : 0;
}

} // namespace ucmad
