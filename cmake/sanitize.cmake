# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# UCMAD_SANITIZE applies to all targets: a program and a library of it must agree.
if(UCMAD_SANITIZE)
    string(REPLACE ";" "," ucmad_sanitizers "${UCMAD_SANITIZE}")
    add_compile_options(-fsanitize=${ucmad_sanitizers} -fno-omit-frame-pointer
                        -fno-sanitize-recover=all)
    if("thread" IN_LIST UCMAD_SANITIZE)
        # It does not know fences, which Asio has.
        add_compile_options(-Wno-tsan)
    endif()
    add_link_options(-fsanitize=${ucmad_sanitizers})
endif()
