// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "report.hpp"

#include <iostream>

namespace demo {
namespace {

double milliseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>{time}.count();
}

} // namespace

void Report::heading(std::string_view text) const {
    std::cout << fmt::format("\n{}\n", text) << std::flush;
}

void Report::tell(bool as_expected, std::string_view step, std::string_view seen) {
    ++(as_expected ? met_ : failed_);
    std::cout << fmt::format("  {}  {:<22} {}\n", as_expected ? "ok  " : "FAIL", step, seen)
              << std::flush;
}

int Report::summary() const {
    const auto time = std::chrono::steady_clock::now() - start_;
    std::cout << fmt::format("\n{} of {} steps went as expected, in {:.1f} s\n", met_,
                             met_ + failed_, milliseconds(time) / 1000)
              << std::flush;
    return failed_ == 0 && met_ > 0 ? 0 : 1;
}

std::string text_of(std::chrono::nanoseconds time) {
    return fmt::format("{:.2f} ms", milliseconds(time));
}

} // namespace demo
