// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The integration suite: runs in a guest, as root, with the module loaded and nobody else using it.
#include "ioctl_programs.hpp"
#include "support/stats.hpp"

#include <gtest/gtest.h>

namespace {

// After every test, passed or not, nothing of it may be left in the module.
class NothingLeft : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo&) override {
        try {
            if (!vm::all_gone()) {
                ADD_FAILURE() << "DEL-EXIT: left in the module: " << vm::leftovers();
            }
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
    }
};

} // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc == 4 && std::string(argv[1]) == vm::program_option) {
        return vm::run_program(argv[2], std::stoull(argv[3]));
    }
    testing::UnitTest::GetInstance()->listeners().Append(new NothingLeft);
    return RUN_ALL_TESTS();
}
