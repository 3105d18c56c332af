// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Uses the installed library, all of its headers and the ABI header. There need not be a device.
#include <rdma/ucmad.h>
#include <ucmad/qp.hpp>
#include <ucmad/ucmad.hpp>

#include <cstdio>
#include <string>

int main() {
    static_assert(UCMAD_ABI_VERSION >= 1);
    const ucmad::Gid gid = ucmad::Gid::parse("10.0.0.1");
    std::printf("%s\n", to_string(gid).c_str());
    try {
        ucmad::Context context{std::string{"/nonexistent/ucmad"}};
    } catch (const std::system_error& error) {
        std::printf("%s\n", error.what());
        return error.code() == std::errc::no_such_file_or_directory ? 0 : 1;
    }
    return 1;
}
