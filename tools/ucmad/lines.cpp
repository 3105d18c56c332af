// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "lines.hpp"

namespace ucmad::tool {

void LineBuffer::add(Bytes piece, const Sink& sink) {
    std::string_view text{reinterpret_cast<const char*>(piece.data()), piece.size()};
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        rest_ += text.substr(0, end + 1);
        text.remove_prefix(end + 1);
        finish(sink);
    }
    rest_ += text;
    if (rest_.size() >= limit)
        finish(sink);
}

void LineBuffer::finish(const Sink& sink) {
    if (rest_.empty())
        return;
    sink(rest_);
    rest_.clear();
}

} // namespace ucmad::tool
