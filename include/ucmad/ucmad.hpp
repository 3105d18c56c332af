// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// All of the library but <ucmad/qp.hpp>, which needs libibverbs.
#pragma once

#include <ucmad/cm_id.hpp>
#include <ucmad/connection.hpp>
#include <ucmad/context.hpp>
#include <ucmad/dispatcher.hpp>
#include <ucmad/error.hpp>
#include <ucmad/event.hpp>
#include <ucmad/listener.hpp>
#include <ucmad/path.hpp>
#include <ucmad/types.hpp>
