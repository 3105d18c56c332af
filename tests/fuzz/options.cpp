// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "options.hpp"

#include <cstdlib>
#include <getopt.h>
#include <iostream>

namespace fuzz {

namespace {

constexpr const char* usage =
    R"(usage: ucmad-fuzz [--seed N] [--seconds N] [--corpus DIR] [--save DIR] [--minimize]
       ucmad-fuzz --replay FILE

Call the module in all ways but the right one, guided by where that leads. In a guest with the debug
kernel: tests/fuzz/run.

  --seed N       what chance begins with (0)
  --seconds N    how long to look for something new, after the corpus was replayed (0)
  --corpus DIR   sequences to begin with
  --save DIR     where findings go and, with --minimize, the corpus; "current" there is what is
                 being run, should the guest die of it
  --minimize     save as few and as short sequences as reach the same places
  --replay FILE  run the sequences of a file, each a hundred times

exit status: 0, 1 something is wrong, 2 bad usage, 3 a call hangs or the fuzzer died
)";

[[noreturn]] void refuse() {
    std::cerr << usage;
    std::exit(2);
}

std::uint64_t number_of(const char* text) {
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text, &end, 0);
    return *text && !*end ? number : (refuse(), 0);
}

} // namespace

Options parse_options(int argc, char** argv) {
    static constexpr option known[] = {
        {"seed", required_argument, nullptr, 's'},   {"seconds", required_argument, nullptr, 't'},
        {"corpus", required_argument, nullptr, 'c'}, {"save", required_argument, nullptr, 'o'},
        {"replay", required_argument, nullptr, 'r'}, {"minimize", no_argument, nullptr, 'm'},
        {"help", no_argument, nullptr, 'h'},         {}};
    Options options;
    for (int c = 0; (c = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
        switch (c) {
        case 's':
            options.seed = number_of(optarg);
            break;
        case 't':
            options.seconds = static_cast<unsigned>(number_of(optarg));
            break;
        case 'c':
            options.corpus = optarg;
            break;
        case 'o':
            options.save = optarg;
            break;
        case 'r':
            options.replay = optarg;
            break;
        case 'm':
            options.minimize = true;
            break;
        case 'h':
            std::cout << usage;
            std::exit(0);
        default:
            refuse();
        }
    }
    if (optind != argc) {
        refuse();
    }
    return options;
}

} // namespace fuzz
