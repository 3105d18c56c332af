# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# ucmad_warnings(TARGET): the warnings that all of the project's own code is compiled with.
function(ucmad_warnings target)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor
        -Wold-style-cast -Wcast-align -Woverloaded-virtual -Wformat=2 -Wimplicit-fallthrough
        $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op>
        $<$<BOOL:${UCMAD_WERROR}>:-Werror>)
endfunction()
