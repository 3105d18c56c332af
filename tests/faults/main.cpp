// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Fault injection: runs in a guest, as root, with the modules loaded and nobody else using them.
#include "faults.hpp"

#include <gtest/gtest.h>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const int status = RUN_ALL_TESTS();
    vm::print_table();
    return status;
}
