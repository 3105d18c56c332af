# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Sphinx: sphinx-build -W Documentation build/docs
project = "ucmad"
extensions = []
exclude_patterns = ["man"]
primary_domain = None
highlight_language = "none"
html_theme = "alabaster"
html_show_copyright = False
