// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "latency_report.hpp"

namespace ucmad::tool {

std::string latency_text(const Latency& latency) {
    if (latency.count() == 0)
        return {};
    return fmt::format("latency: min {:.1f}, median {:.1f}, p99 {:.1f}, max {:.1f} us\n",
                       microseconds(latency.min()), microseconds(latency.quantile(0.5)),
                       microseconds(latency.quantile(0.99)), microseconds(latency.max()));
}

Json latency_json(const Latency& latency) {
    if (latency.count() == 0)
        return nullptr;
    return {{"min", microseconds(latency.min())},
            {"median", microseconds(latency.quantile(0.5))},
            {"p99", microseconds(latency.quantile(0.99))},
            {"max", microseconds(latency.max())}};
}

} // namespace ucmad::tool
