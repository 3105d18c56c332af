// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One thread waits for its own connection by name while another takes whatever comes, both on one
// file: each is given what is its (EV-TARGET).
#include "setting.hpp"

#include <fstream>
#include <future>
#include <unistd.h>

namespace demo {
namespace {

/// A thread that waits for one event.
class Waiter {
public:
    Waiter(const ucmad::Context& context, ucmad::Handle object)
        : event_(std::async(std::launch::async, [this, &context, object] {
              thread_ = gettid();
              return context.next(object, limit);
          })) {}

    /// It sleeps in the kernel: there is nothing else in that thread to sleep for.
    [[nodiscard]] bool is_waiting() const {
        const pid_t thread = thread_;
        if (thread == 0)
            return false;
        std::ifstream file{fmt::format("/proc/self/task/{}/stat", thread)};
        const std::string stat{std::istreambuf_iterator<char>{file}, {}};
        const auto name_end = stat.rfind(')'); // then a blank and the state
        return name_end != std::string::npos && stat.substr(name_end + 2, 1) == "S";
    }

    [[nodiscard]] bool has_event() const {
        return event_.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
    }

    [[nodiscard]] std::optional<ucmad::Event> get() { return event_.get(); }
    [[nodiscard]] pid_t thread() const noexcept { return thread_; }

private:
    std::atomic<pid_t> thread_ = 0;
    std::future<std::optional<ucmad::Event>> event_;
};

void tell(Report& report, std::string_view step, const Waiter& waiter,
          const std::optional<ucmad::Event>& event, ucmad::Handle expected,
          bool other_as_expected) {
    const auto number = [](ucmad::Handle handle) { return static_cast<std::uint32_t>(handle); };
    report.expect(event && event->object == expected && other_as_expected, step,
                  "thread {} is given {} of object {} (expected of {})", waiter.thread(),
                  text_of(event), event ? number(event->object) : 0, number(expected));
}

} // namespace

void targeted_wait(Report& report, const Setting& setting) {
    const ucmad::Context context;
    const Endpoint endpoint{setting};
    const auto mine = ucmad::CmId::create(context, setting.device.index);
    const auto other = ucmad::CmId::create(context, setting.device.index);
    const std::uint64_t service_id =
        deserted_service_id(context, setting); // each REQ has a REJ come
    Waiter targeted{context, mine.handle()};
    Waiter any{context, ucmad::Handle::any};
    if (!wait_until([&] { return targeted.is_waiting() && any.is_waiting(); })) {
        report.expect(false, "waiting", "the threads do not wait");
        return;
    }
    mine.req(endpoint.req_for(service_id));
    const auto first = targeted.get();
    tell(report, "waits by name", targeted, first, mine.handle(), !any.has_event());
    other.req(endpoint.req_for(service_id));
    tell(report, "waits for any", any, any.get(), other.handle(), true);
}

} // namespace demo
