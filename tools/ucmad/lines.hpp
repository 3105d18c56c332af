// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
#pragma once

#include <ucmad/types.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ucmad::tool {

/// Messages that can be under way each way, each a piece of a text.
inline constexpr std::uint32_t lines_depth = 16;

/// Puts lines together from the pieces that come.
class LineBuffer {
public:
    /// Called with a line, with its end-of-line character unless it has none: what comes last, or
    /// a piece of a line that is too long to be kept.
    using Sink = std::function<void(std::string_view)>;

    void add(Bytes piece, const Sink& sink);

    /// Hands over what is left.
    void finish(const Sink& sink);

private:
    static constexpr std::size_t limit = 65536;

    std::string rest_;
};

} // namespace ucmad::tool
