// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* See fake_device.h. */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <net/net_namespace.h>
#include <rdma/ib_mad.h>

#include "fake_device.h"

struct ib_device *ucmad_fake_device;

/* The core allocates devices as parts of what their drivers have. */
struct ucmad_fake_driver {
	struct ib_device ib;
};

static const u32 ucmad_fake_caps[UCMAD_FAKE_PORTS + 1] = {
	[UCMAD_FAKE_PORT_IB] = RDMA_CORE_PORT_IBA_IB,
	[UCMAD_FAKE_PORT_ROCE] = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP | RDMA_CORE_PORT_IBA_ROCE,
	[UCMAD_FAKE_PORT_NO_CM] = RDMA_CORE_PORT_IBA_IB & ~RDMA_CORE_CAP_IB_CM,
};

#define UCMAD_FAKE_GIDS 8

static int ucmad_fake_query_device(struct ib_device *ib, struct ib_device_attr *attr,
				   struct ib_udata *udata)
{
	return 0;
}

static int ucmad_fake_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->gid_tbl_len = UCMAD_FAKE_GIDS;
	attr->pkey_tbl_len = 1;
	return 0;
}

static int ucmad_fake_get_immutable(struct ib_device *ib, u32 port,
				    struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = ucmad_fake_caps[port];
	immutable->gid_tbl_len = UCMAD_FAKE_GIDS;
	immutable->pkey_tbl_len = 1;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer ucmad_fake_get_link_layer(struct ib_device *ib, u32 port)
{
	return port == UCMAD_FAKE_PORT_ROCE ? IB_LINK_LAYER_ETHERNET : IB_LINK_LAYER_INFINIBAND;
}

static int ucmad_fake_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	if (index > UCMAD_FAKE_OTHER_GID)
		return 0;
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000);
	gid->global.interface_id = cpu_to_be64(port << 8 | (index + 1));
	return 0;
}

static int ucmad_fake_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

static int ucmad_fake_add_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static int ucmad_fake_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static const struct ib_device_ops ucmad_fake_device_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.query_device = ucmad_fake_query_device,
	.query_port = ucmad_fake_query_port,
	.get_port_immutable = ucmad_fake_get_immutable,
	.get_link_layer = ucmad_fake_get_link_layer,
	.query_gid = ucmad_fake_query_gid,
	.query_pkey = ucmad_fake_query_pkey,
	.add_gid = ucmad_fake_add_gid,
	.del_gid = ucmad_fake_del_gid,
};

static int ucmad_fake_device_register(struct ib_device *ib)
{
	int ret;

	ib_set_device_ops(ib, &ucmad_fake_device_ops);
	ib->node_type = RDMA_NODE_IB_CA;
	ib->phys_port_cnt = UCMAD_FAKE_PORTS;
	ib->num_comp_vectors = 1;
	/* A network interface that is everywhere; the core derives the GIDs of RoCE from it. */
	ret = ib_device_set_netdev(ib, init_net.loopback_dev, UCMAD_FAKE_PORT_ROCE);
	return ret ?: ib_register_device(ib, "ucmad_fake%d", NULL);
}

int ucmad_fake_device_init(void)
{
	struct ucmad_fake_driver *driver = ib_alloc_device(ucmad_fake_driver, ib);
	int ret;

	if (!driver)
		return -ENOMEM;
	ret = ucmad_fake_device_register(&driver->ib);
	if (ret)
		ib_dealloc_device(&driver->ib);
	else
		ucmad_fake_device = &driver->ib;
	return ret;
}

/* The core warns if somebody still has a GID. */
void ucmad_fake_device_exit(void)
{
	ib_unregister_device(ucmad_fake_device);
	ib_dealloc_device(ucmad_fake_device);
	ucmad_fake_device = NULL;
}
