// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// MAD agents whose sends end in handlers, futures or coroutines.
#pragma once

#include <ucmad/dispatcher.hpp>
#include <ucmad/mad.hpp>
#include <ucmad/mad_address.hpp>
#include <ucmad/mad_agent.hpp>
#include <ucmad/types.hpp>

#include <coroutine>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <vector>

namespace ucmad {

namespace detail {
class MadClientState;
} // namespace detail

/// What became of a send (MAD-ONE).
struct MadResult {
    SendStatus status = SendStatus::flushed;
    std::uint32_t tries = 0;     ///< How often it was sent.
    std::uint32_t wc_status = 0; ///< With SendStatus::error, as enum ibv_wc_status.
    MadAddress from{};           ///< Where the response came from.
    std::vector<std::byte> mad;  ///< The response, with the transaction ID of the request.

    /// See make_error(SendStatus).
    [[nodiscard]] std::error_code error() const noexcept { return make_error(status); }
};

/// Called once for a send.
using SendHandler = std::function<void(MadResult)>;

/// An unsolicited MAD, as long as its handler runs.
struct IncomingMad {
    std::uint64_t request = 0; ///< Names it for an answer; 0: it cannot be answered.
    MadAddress from{};
    Bytes mad{};
};

struct MadClientHandlers {
    std::function<void(const IncomingMad&)> received{}; ///< An unsolicited MAD has come.
    std::function<void()> removed{}; ///< The device has gone; all sends were flushed before.
};

/// A send that a coroutine waits for; see MadClient::request().
class [[nodiscard]] MadRequest {
public:
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    UCMAD_API void await_suspend(std::coroutine_handle<> waiting);
    [[nodiscard]] MadResult await_resume() noexcept { return std::move(result_); }

private:
    friend class MadClient;

    MadRequest(std::shared_ptr<detail::MadClientState> state, Bytes mad, const MadAddress& to,
               Patience patience) noexcept
        : state_(std::move(state)), mad_(mad), to_(to), patience_(patience) {}

    std::shared_ptr<detail::MadClientState> state_;
    Bytes mad_;
    MadAddress to_;
    Patience patience_;
    MadResult result_;
};

/// A coroutine that runs at once and that nobody waits for; what it throws ends the program.
struct Detached {
    struct promise_type { // NOLINT(readability-identifier-naming): the language's name
        Detached get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

/// An agent whose events a Dispatcher takes.
///
///     MadClient client{dispatcher, context, {.device = device}};
///     dispatcher.start();
///     MadResult result = client.submit(mad, to).get();
///
/// Each send that was accepted ends exactly once: its handler is called, its future made ready, its
/// coroutine resumed; before deregister() returns at the latest, with SendStatus::flushed then.
/// This happens on a thread of the dispatcher, or in deregister(). Handlers never run side by side,
/// but for those of an agent made with MadAgentParams::concurrent. What a handler throws comes out
/// of Dispatcher::run(). All members may be called from any thread and from handlers; moving,
/// destructing and deregister() by one thread only.
class MadClient {
public:
    /// Registers the agent. Errors: those of MadAgent::create().
    UCMAD_API MadClient(Dispatcher& dispatcher, const Context& context,
                        const MadAgentParams& params, MadClientHandlers handlers = {});

    UCMAD_API MadClient(MadClient&&) noexcept;
    UCMAD_API MadClient& operator=(MadClient&&) noexcept;
    MadClient(const MadClient&) = delete;
    MadClient& operator=(const MadClient&) = delete;
    UCMAD_API ~MadClient();

    /// Sends a MAD; `handler` is told what becomes of it, maybe before this returns. The MAD is
    /// copied. Errors: those of MadAgent::post(), and then the handler is not called; ESHUTDOWN the
    /// agent is deregistered.
    UCMAD_API SendHandle post(Bytes mad, const MadAddress& to, const Patience& patience,
                              SendHandler handler);

    /// The same with a future in place of a handler.
    [[nodiscard]] UCMAD_API std::future<MadResult> submit(Bytes mad, const MadAddress& to,
                                                          const Patience& patience = {});

    /// The same for a coroutine: `MadResult result = co_await client.request(mad, to);`. The MAD
    /// must live until then. The coroutine goes on on a thread of the dispatcher.
    [[nodiscard]] UCMAD_API MadRequest request(Bytes mad, const MadAddress& to,
                                               const Patience& patience = {});

    /// Answers a MAD that has come, once. Error: ENOENT it was answered, or is too old.
    UCMAD_API SendHandle answer(const IncomingMad& incoming, Bytes mad, SendHandler handler = {});

    /// Cancels a send, or all: its handler is told. Never waits; nothing happens if the send is
    /// over (MAD-CANCEL).
    UCMAD_API void cancel(SendHandle send) noexcept;
    UCMAD_API void cancel_all() noexcept;

    /// See MadAgent::set_timeout().
    UCMAD_API void set_timeout(SendHandle send, std::chrono::milliseconds timeout);

    [[nodiscard]] UCMAD_API MadAgentInfo query() const;

    /// Deregisters the agent (MAD-DEREG), and ends all its sends. Returns how many were flushed. No
    /// handler runs any more once this has returned; called from a handler of the agent it does not
    /// wait for that one. Handlers that it calls must not throw.
    UCMAD_API std::size_t deregister() noexcept;

private:
    std::shared_ptr<detail::MadClientState> state_;
};

} // namespace ucmad
