// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* Paths: from programs to path records of the RDMA core, and back. */
#include <linux/inet.h>
#include <rdma/ib_cache.h>

#include "../path.h"
#include "program.h"

/* ---- what is accepted -------------------------------------------------------------------- */

/**
 * struct path_case - A path with one member that is not like those of others.
 * @name: Says it in words.
 * @port: The local port.
 * @offset: Where in the path the member is, ...
 * @size: ... how large it is, ...
 * @value: ... and what it is.
 * @error: What comes of it.
 */
struct path_case {
	const char *name;
	u8 port;
	u32 offset;
	u32 size;
	u32 value;
	int error;
};

#define MEMBER(_name, _port, _member, _value, _error)				\
	{ _name, _port, offsetof(struct ucmad_path, _member),			\
	  sizeof_field(struct ucmad_path, _member), _value, _error }
#define IB UCMAD_FAKE_PORT_IB
#define ROCE UCMAD_FAKE_PORT_ROCE

static const struct path_case path_cases[] = {
	MEMBER("IB", IB, sl, 0, 0),
	MEMBER("RoCE", ROCE, sl, 0, 0),
	MEMBER("flags", IB, flags, 1, -EINVAL),
	MEMBER("largest flow label", IB, flow_label, 0xfffff, 0),
	MEMBER("flow label", IB, flow_label, 0x100000, -EINVAL),
	MEMBER("largest SL", IB, sl, 15, 0),
	MEMBER("SL", IB, sl, 16, -EINVAL),
	MEMBER("no MTU", IB, mtu, 0, -EINVAL),
	MEMBER("smallest MTU", IB, mtu, IB_MTU_256, 0),
	MEMBER("largest MTU", IB, mtu, IB_MTU_4096, 0),
	MEMBER("MTU", IB, mtu, IB_MTU_4096 + 1, -EINVAL),
	MEMBER("longest packet life", IB, packet_life_time, 31, 0),
	MEMBER("packet life", IB, packet_life_time, 32, -EINVAL),
	MEMBER("rate", IB, rate, IB_RATE_10_GBPS, 0),
	MEMBER("no such rate", IB, rate, 1, -EINVAL),
	MEMBER("no port", IB, port, 0, -EINVAL),
	MEMBER("no such port", IB, port, UCMAD_FAKE_PORTS + 1, -EINVAL),
	MEMBER("port without a CM", IB, port, UCMAD_FAKE_PORT_NO_CM, -EOPNOTSUPP),
	MEMBER("other local GID", IB, sgid_index, UCMAD_FAKE_OTHER_GID, 0),
	MEMBER("no local GID", IB, sgid_index, UCMAD_FAKE_NO_GID, -EADDRNOTAVAIL),
	MEMBER("no such index", IB, sgid_index, 0xffff, -EADDRNOTAVAIL),
	{ "wrong local GID", IB, offsetof(struct ucmad_path, sgid), 1, 1, -EADDRNOTAVAIL },
	{ "wrong local GID, RoCE", ROCE, offsetof(struct ucmad_path, sgid), 1, 1,
	  -EADDRNOTAVAIL },
	MEMBER("no LID", IB, dlid, 0, -EINVAL),
	MEMBER("LID on RoCE", ROCE, dlid, 1, -EINVAL),
	MEMBER("local LID on RoCE", ROCE, slid, 1, -EINVAL),
	MEMBER("local LID", IB, slid, 7, 0),
	{ "first reserved byte", IB, offsetof(struct ucmad_path, reserved), 1, 1, -EINVAL },
	{ "last reserved byte", IB, sizeof(struct ucmad_path) - 1, 1, 1, -EINVAL },
};

static void path_case_name(const struct path_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(path, path_cases, path_case_name);

static struct ucmad_path path_of(u8 port)
{
	struct ucmad_path path = {
		.port = port,
		.mtu = IB_MTU_2048,
		.dlid = port == ROCE ? 0 : 3,
		.dgid = { 0xfe, 0x80, [15] = 5 },
	};

	return path;
}

static int path_convert(const struct ucmad_path *path, struct sa_path_rec *record)
{
	const struct ib_gid_attr *attr;
	int ret = ucmad_path_to_record(ucmad_fake_device, path, record, &attr);

	if (!ret)
		rdma_put_gid_attr(attr);
	return ret;
}

static void path_is_accepted(struct kunit *test)
{
	const struct path_case *c = test->param_value;
	struct ucmad_path path = path_of(c->port);
	struct sa_path_rec record;

	/* Its first bytes, little-endian: as many as the member has. */
	memcpy((u8 *)&path + c->offset, &(__le32){ cpu_to_le32(c->value) }, min(c->size, 4U));
	KUNIT_EXPECT_EQ(test, path_convert(&path, &record), c->error);
}

/* ---- RoCE: both ends speak the same kind of IP ------------------------------------------- */

struct kind_case {
	const char *dgid;
	int error;
};

static const struct kind_case kind_cases[] = {
	{ "fe80::1", 0 },
	{ "2001:db8::1", 0 },
	{ "::ffff:10.0.0.1", -EINVAL },
	{ "::", -EINVAL },
};

static void kind_case_name(const struct kind_case *c, char *name)
{
	strscpy(name, c->dgid, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kind, kind_cases, kind_case_name);

static void path_of_kind(struct kunit *test)
{
	const struct kind_case *c = test->param_value;
	struct ucmad_path path = path_of(ROCE);
	struct sa_path_rec record;

	KUNIT_ASSERT_EQ(test, in6_pton(c->dgid, -1, path.dgid, -1, NULL), 1);
	KUNIT_EXPECT_EQ(test, path_convert(&path, &record), c->error);
}

/* ---- member by member -------------------------------------------------------------------- */

static struct ucmad_path path_full(u8 port)
{
	struct ucmad_path path = path_of(port);

	path.flow_label = 0x12345;
	path.pkey = 0x8001;
	path.sl = 3;
	path.hop_limit = 4;
	path.traffic_class = 5;
	path.rate = IB_RATE_20_GBPS;
	path.packet_life_time = 7;
	if (port != ROCE)
		path.slid = 9;
	return path;
}

static void path_to_record(struct kunit *test)
{
	struct ucmad_path path = path_full(IB);
	struct sa_path_rec record;

	KUNIT_ASSERT_EQ(test, path_convert(&path, &record), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&record.dgid, path.dgid, sizeof(path.dgid)), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(record.flow_label), 0x12345);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(record.pkey), 0x8001);
	KUNIT_EXPECT_EQ(test, record.sl, 3);
	KUNIT_EXPECT_EQ(test, record.hop_limit, 4);
	KUNIT_EXPECT_EQ(test, record.traffic_class, 5);
	KUNIT_EXPECT_EQ(test, record.rate, IB_RATE_20_GBPS);
	KUNIT_EXPECT_EQ(test, record.packet_life_time, 7);
	KUNIT_EXPECT_EQ(test, record.mtu, IB_MTU_2048);
	KUNIT_EXPECT_EQ(test, record.mtu_selector, IB_SA_EQ);
	KUNIT_EXPECT_EQ(test, record.rate_selector, IB_SA_EQ);
	KUNIT_EXPECT_EQ(test, record.packet_life_time_selector, IB_SA_EQ);
	KUNIT_EXPECT_EQ(test, record.rec_type, SA_PATH_REC_TYPE_IB);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sa_path_get_dlid(&record)), 3);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sa_path_get_slid(&record)), 9);
}

/* What a program asks for is what it would be told of the same path. */
static void path_there_and_back(struct kunit *test, u8 port)
{
	struct ucmad_path path = path_full(port), back = {};
	const struct ib_gid_attr *attr;
	struct sa_path_rec record;

	path.sgid_index = UCMAD_FAKE_OTHER_GID;
	KUNIT_ASSERT_EQ(test, 0, ucmad_path_to_record(ucmad_fake_device, &path, &record, &attr));
	ucmad_path_from_record(&back, &record, port, attr);
	/* The program did not say which GID that is. */
	KUNIT_EXPECT_EQ(test, memcmp(back.sgid, &attr->gid, sizeof(back.sgid)), 0);
	memcpy(path.sgid, back.sgid, sizeof(path.sgid));
	KUNIT_EXPECT_EQ(test, memcmp(&back, &path, sizeof(path)), 0);
	rdma_put_gid_attr(attr);
	/* Who says which GID it is says no wrong. */
	KUNIT_EXPECT_EQ(test, path_convert(&path, &record), 0);
}

static void path_ib_there_and_back(struct kunit *test)
{
	path_there_and_back(test, IB);
}

static void path_roce_there_and_back(struct kunit *test)
{
	path_there_and_back(test, ROCE);
}

static void path_default_pkey(struct kunit *test)
{
	struct ucmad_path path = path_of(IB);
	struct sa_path_rec record;

	KUNIT_ASSERT_EQ(test, path_convert(&path, &record), 0);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(record.pkey), IB_DEFAULT_PKEY_FULL);
}

/* ---- what was found of a RoCE peer ------------------------------------------------------- */

/**
 * struct resolved_case - How the record is completed.
 * @name: Says it in words.
 * @type: The kind of RoCE that the local GID is of.
 * @network: What the route leads over.
 * @asked: Hop limit that the program has asked for.
 * @found: That of the route.
 * @hop_limit: That of the record.
 * @error: What comes of it.
 */
struct resolved_case {
	const char *name;
	enum sa_path_rec_type type;
	enum rdma_network_type network;
	u8 asked;
	int found;
	u8 hop_limit;
	int error;
};

#define V1 SA_PATH_REC_TYPE_ROCE_V1
#define V2 SA_PATH_REC_TYPE_ROCE_V2

static const struct resolved_case resolved_cases[] = {
	{ "v2, IPv6", V2, RDMA_NETWORK_IPV6, 0, 10, 10, 0 },
	{ "v2, IPv4", V2, RDMA_NETWORK_IPV4, 0, 10, 10, 0 },
	{ "v2, one link", V2, RDMA_NETWORK_IB, 0, 10, 10, 0 },
	{ "v2, the program's hop limit", V2, RDMA_NETWORK_IPV6, 3, 10, 3, 0 },
	{ "v2, no hop limit", V2, RDMA_NETWORK_IPV6, 0, 0, IPV6_DEFAULT_HOPLIMIT, 0 },
	{ "v1, one link", V1, RDMA_NETWORK_IB, 0, 10, 10, 0 },
	{ "v1, IPv6", V1, RDMA_NETWORK_IPV6, 0, 10, 0, -EINVAL },
	{ "v1, IPv4", V1, RDMA_NETWORK_IPV4, 0, 10, 0, -EINVAL },
};

static void resolved_case_name(const struct resolved_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(resolved, resolved_cases, resolved_case_name);

static void path_resolved(struct kunit *test)
{
	const struct resolved_case *c = test->param_value;
	struct sa_path_rec record = { .rec_type = c->type, .hop_limit = c->asked };
	struct rdma_dev_addr addr = {
		.network = c->network,
		.hoplimit = c->found,
		.dst_dev_addr = { 1, 2, 3, 4, 5, 6 },
	};
	struct ucmad_path path = {};

	KUNIT_EXPECT_EQ(test, ucmad_path_set_resolved(&record, &addr), c->error);
	KUNIT_EXPECT_EQ(test, record.roce.route_resolved, !c->error);
	if (c->error)
		return;
	KUNIT_EXPECT_EQ(test, record.hop_limit, c->hop_limit);
	ucmad_path_from_record(&path, &record, ROCE, NULL);
	KUNIT_EXPECT_EQ(test, memcmp(path.dmac, addr.dst_dev_addr, sizeof(path.dmac)), 0);
}

static struct kunit_case ucmad_path_tests[] = {
	KUNIT_CASE_PARAM(path_is_accepted, path_gen_params),
	KUNIT_CASE_PARAM(path_of_kind, kind_gen_params),
	KUNIT_CASE(path_to_record),
	KUNIT_CASE(path_ib_there_and_back),
	KUNIT_CASE(path_roce_there_and_back),
	KUNIT_CASE(path_default_pkey),
	KUNIT_CASE_PARAM(path_resolved, resolved_gen_params),
	{}
};

static struct kunit_suite ucmad_path_suite = {
	.name = "ucmad_path",
	.suite_init = ucmad_program_suite_init,
	.suite_exit = ucmad_program_suite_exit,
	.test_cases = ucmad_path_tests,
};

kunit_test_suite(ucmad_path_suite);
