// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "output.hpp"

#include <cstdio>

namespace ucmad::tool {

void Output::print(const Json& object) {
    // Lines of a peer need not be UTF-8.
    fmt::print("{}\n", object.dump(-1, ' ', false, Json::error_handler_t::replace));
    std::fflush(stdout);
}

void Output::result(const Json& object, std::string_view text) const {
    if (options_.json)
        return print(object);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void Output::status(const Json& object, std::string_view line) const {
    if (options_.json)
        return print(object);
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
    status(object, text);
}

} // namespace ucmad::tool
