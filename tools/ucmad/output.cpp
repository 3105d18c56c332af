// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "output.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace ucmad::tool {
namespace {

void write_text(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw std::system_error(errno, std::system_category(), "writing to standard output");
}

void write_line(const Json& object) {
    // Lines of a peer need not be UTF-8.
    write_text(object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

} // namespace

void Output::result(const Json& object, std::string_view text) const {
    if (options_.json)
        write_line(object);
    else
        write_text(text);
}

void Output::status(const Json& object, std::string_view line) const {
    if (options_.json)
        write_line(object);
    else
        fmt::print(stderr, "{}\n", line);
}

void Output::error(std::string_view command, const Failure& failure) const {
    Json object{{"event", "error"},
                {"status", static_cast<int>(failure.status())},
                {"message", failure.what()}};
    std::string text = fmt::format("ucmad {}: {}", command, failure.what());
    if (!failure.hint().empty()) {
        object["hint"] = failure.hint();
        text += fmt::format("\n  hint: {}", failure.hint());
    }
    try {
        status(object, text);
    } catch (const std::system_error&) { // standard output cannot be written to
        fmt::print(stderr, "{}\n", text);
    }
}

} // namespace ucmad::tool
