# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# UCMAD_SANITIZE applies to all targets: a program and a library of it must agree.
if(UCMAD_SANITIZE)
    string(REPLACE ";" "," ucmad_sanitizers "${UCMAD_SANITIZE}")
    add_compile_options(-fsanitize=${ucmad_sanitizers} -fno-omit-frame-pointer
                        -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${ucmad_sanitizers})
endif()
