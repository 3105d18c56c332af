// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/// \file
/// All of the library but <ucmad/qp.hpp>, which needs libibverbs, and <ucmad/asio.hpp>, which needs
/// Asio.
#pragma once

#include <ucmad/cm_id.hpp>
#include <ucmad/connection.hpp>
#include <ucmad/context.hpp>
#include <ucmad/dispatcher.hpp>
#include <ucmad/error.hpp>
#include <ucmad/event.hpp>
#include <ucmad/listener.hpp>
#include <ucmad/mad.hpp>
#include <ucmad/mad_address.hpp>
#include <ucmad/mad_agent.hpp>
#include <ucmad/mad_client.hpp>
#include <ucmad/object.hpp>
#include <ucmad/path.hpp>
#include <ucmad/types.hpp>
