// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// Optional: has an Asio event loop run the handlers of a Dispatcher. Needs Asio's headers, or with
/// UCMAD_BOOST_ASIO defined those of Boost.Asio; nothing of the library itself does.
#pragma once

#include <ucmad/context.hpp>
#include <ucmad/dispatcher.hpp>

#include <cerrno>
#include <functional>
#include <system_error>
#include <unistd.h>

#ifdef UCMAD_BOOST_ASIO
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#else
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#endif

namespace ucmad {

namespace detail {
#ifdef UCMAD_BOOST_ASIO
namespace asio = boost::asio;
using AsioError = boost::system::error_code;
#else
namespace asio = ::asio;
using AsioError = std::error_code;
#endif
} // namespace detail

/// Runs the handlers of a Dispatcher on the threads that run an io_context, in place of
/// Dispatcher::run():
///
///     asio::io_context io;
///     ucmad::AsioDriver driver{io, context, dispatcher};
///     io.run();
///
/// What a handler throws comes out of io_context::run(), and the driver goes on. It keeps the
/// io_context at work until it is stopped or destroyed, and must not outlive it.
class AsioDriver {
public:
    AsioDriver(detail::asio::io_context& io, const Context& context, Dispatcher& dispatcher)
        : dispatcher_(dispatcher), file_(io, own_descriptor(context.fd())) {
        wait();
    }

    AsioDriver(const AsioDriver&) = delete;
    AsioDriver& operator=(const AsioDriver&) = delete;

    /// Waits for no more events. To be called on a thread of the io_context, or while none runs it.
    void stop() { file_.cancel(); }

private:
    /// The descriptor is Asio's to close, and the Context's.
    static int own_descriptor(int fd) {
        const int own = dup(fd);
        if (own < 0)
            throw std::system_error(errno, std::system_category(), "dup");
        return own;
    }

    void wait() {
        file_.async_wait(detail::asio::posix::stream_descriptor::wait_read,
                         [this](const detail::AsioError& error) {
                             if (error)
                                 return; // stopped; this may be gone
                             // First, so that it goes on if a handler throws.
                             wait();
                             dispatcher_.poll();
                         });
    }

    Dispatcher& dispatcher_;
    detail::asio::posix::stream_descriptor file_;
};

} // namespace ucmad
