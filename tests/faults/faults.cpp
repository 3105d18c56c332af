// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "faults.hpp"

#include "support/stats.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <iomanip>
#include <iostream>
#include <vector>

namespace vm {

namespace {

const std::string parameters = "/sys/module/ucmad_inject/parameters/";

// No memory, an address that cannot be used, a local GID that is gone.
constexpr std::array documented = {ENOMEM, EFAULT, EADDRNOTAVAIL};

void write_parameter(const std::string& name, const std::string& value) {
    std::ofstream file(parameters + name);
    file << value << std::endl;
    must(file.good(), "ucmad_inject is not there");
}

void write_arm(unsigned nth, Shortage shortage) {
    write_parameter("arm", std::to_string(nth) + (shortage == Shortage::lasting ? " 1" : " 0"));
}

std::string read_result() {
    std::ifstream file(parameters + "result");
    std::string line;
    must(static_cast<bool>(std::getline(file, line)), "ucmad_inject says nothing");
    return line;
}

struct Row {
    std::string scenario;
    unsigned injected = 0;
    unsigned failed = 0;
};

std::vector<Row>& table() {
    static std::vector<Row> rows;
    return rows;
}

std::string this_scenario() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test.test_suite_name()) + '.' + test.name();
}

void run_once(Faults& faults, const std::function<void(Faults&)>& scenario) {
    const std::string before = leftovers();
    try {
        scenario(faults);
    } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
    }
    EXPECT_TRUE(eventually([&] { return leftovers() == before; }))
        << "DEL-EXIT: left in the module: " << leftovers() << "instead of: " << before;
    EXPECT_EQ(statistic("events_lost"), 0U) << "EV-NOLOSS";
}

} // namespace

void Faults::arm() {
    write_arm(nth_, shortage_);
    armed_ = true;
}

void Faults::disarm() {
    if (armed_) {
        armed_ = false;
        write_arm(0, shortage_);
    }
}

Error Faults::begin(const std::function<Error()>& operation) {
    arm();
    const Error error = operation();
    if (error == ok) {
        return ok;
    }
    disarm();
    failed();
    EXPECT_NE(std::ranges::find(documented, error.number), documented.end()) << error;
    EXPECT_GT(injected(), 0U) << "it failed for itself: " << error;
    return error;
}

Error Faults::during(const std::function<Error()>& operation) {
    const Error error = begin(operation);
    disarm();
    return error;
}

void Faults::settle(const std::function<bool()>& is_over) {
    EXPECT_TRUE(eventually([&] { return is_over() || injected(); }));
    if (injected() && shortage_ == Shortage::lasting) {
        // Time itself is meant: what tries again meanwhile finds no memory either.
        std::this_thread::sleep_for(50ms);
    }
    disarm();
}

unsigned Faults::injected() const {
    return nth_ ? static_cast<unsigned>(std::stoul(read_result())) : 0;
}

std::string Faults::where() const { return read_result(); }

Broken::Broken(const std::string& function) { write_parameter("broken", function); }

Broken::~Broken() { write_parameter("broken", ""); }

void sweep(Shortage shortage, const std::function<void(Faults&)>& scenario) {
    Row row{this_scenario()};
    for (unsigned nth = 1; !testing::Test::HasFailure(); ++nth) {
        Faults faults(nth, shortage);
        run_once(faults, scenario);
        const unsigned injected = faults.injected();
        if (testing::Test::HasFailure()) {
            std::cout << "fault " << nth << " of " << row.scenario << ": " << faults.where()
                      << '\n';
        }
        if (!injected) {
            EXPECT_FALSE(faults.has_failed());
            break;
        }
        row.injected++;
        row.failed += faults.has_failed() ? 1U : 0U;
    }
    EXPECT_GT(row.injected, 0U) << "nothing can fail here";
    table().push_back(row);
}

void print_table() {
    std::cout << "faults  failed cleanly  worked anyway  scenario\n";
    for (const Row& row : table()) {
        std::cout << std::setw(6) << row.injected << std::setw(16) << row.failed << std::setw(15)
                  << row.injected - row.failed << "  " << row.scenario << '\n';
    }
}

} // namespace vm
