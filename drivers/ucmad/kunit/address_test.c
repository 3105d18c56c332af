// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* From whom a datagram has come, by all the kinds of header that hardware puts before it. */
#include <kunit/test.h>
#include <linux/inet.h>
#include <linux/ip.h>
#include <net/ipv6.h>

#include "../mad.h"

/**
 * struct sender_case - A datagram, and whether it is from the peer.
 * @name: Says it in words.
 * @peer: Address of the peer, as GID in text; NULL: it has only a LID, 7.
 * @from: Who has sent it, likewise.
 * @slid: Its LID.
 * @v4: Before it is an IPv4 header.
 * @typed: The hardware says which header it is.
 * @bare: There is no header.
 * @is_peer: The verdict.
 */
struct sender_case {
	const char *name;
	const char *peer;
	const char *from;
	u16 slid;
	bool v4;
	bool typed;
	bool bare;
	bool is_peer;
};

static const struct sender_case sender_cases[] = {
	{ "LID", NULL, NULL, .slid = 7, .bare = true, .is_peer = true },
	{ "other LID", NULL, NULL, .slid = 8, .bare = true },
	{ "LID, with a header beside it", NULL, "fe80::1", .slid = 7, .is_peer = true },
	{ "IPv6", "fe80::1", "fe80::1", .is_peer = true },
	{ "IPv6, typed", "fe80::1", "fe80::1", .typed = true, .is_peer = true },
	{ "other IPv6", "fe80::1", "fe80::2" },
	{ "other IPv6, typed", "fe80::1", "fe80::2", .typed = true },
	{ "IPv6 without a header", "fe80::1", "fe80::1", .bare = true },
	{ "IPv4", "::ffff:10.0.0.1", "10.0.0.1", .v4 = true, .is_peer = true },
	{ "IPv4, typed", "::ffff:10.0.0.1", "10.0.0.1", .v4 = true, .typed = true,
	  .is_peer = true },
	{ "other IPv4", "::ffff:10.0.0.1", "10.0.0.2", .v4 = true },
	{ "other IPv4, typed", "::ffff:10.0.0.1", "10.0.0.2", .v4 = true, .typed = true },
	{ "IPv4 for IPv6", "fe80::1", "10.0.0.1", .v4 = true },
	{ "IPv6 for IPv4", "::ffff:10.0.0.1", "fe80::1" },
	{ "IPv4 in an IPv6 header", "::ffff:10.0.0.1", "::ffff:10.0.0.1", .is_peer = true },
};

static void sender_case_name(const struct sender_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(sender, sender_cases, sender_case_name);

/* An IPv4 header is the latter half of the room, as RoCE v2 has it. */
static void sender_fill_v4(struct kunit *test, union rdma_network_hdr *header, const char *from)
{
	struct iphdr *ip = &header->roce4grh;
	u8 address[4];

	KUNIT_ASSERT_EQ(test, in4_pton(from, -1, address, -1, NULL), 1);
	ip->version = 4;
	ip->ihl = 5;
	memcpy(&ip->saddr, address, sizeof(address));
	ip->daddr = htonl(0x0a000009);
	ip->check = ip_fast_csum(ip, ip->ihl);
}

static void sender_fill_v6(struct kunit *test, union rdma_network_hdr *header, const char *from)
{
	struct ib_grh *grh = &header->ibgrh;

	grh->version_tclass_flow = cpu_to_be32(6 << 28);
	KUNIT_ASSERT_EQ(test, in6_pton(from, -1, grh->sgid.raw, -1, NULL), 1);
}

static void sender_fill(struct kunit *test, const struct sender_case *c, struct ib_wc *wc,
			union rdma_network_hdr *header)
{
	wc->slid = c->slid;
	if (c->bare)
		return;
	wc->wc_flags = IB_WC_GRH;
	if (c->typed) {
		wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = c->v4 ? RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	}
	if (c->v4)
		sender_fill_v4(test, header, c->from);
	else
		sender_fill_v6(test, header, c->from);
}

static void sender_is_peer(struct kunit *test)
{
	const struct sender_case *c = test->param_value;
	struct ucmad_peer *peer = kunit_kzalloc(test, sizeof(*peer), GFP_KERNEL);
	union rdma_network_hdr header = {};
	struct ib_wc wc = {};

	KUNIT_ASSERT_NOT_NULL(test, peer);
	peer->key.address.dlid = c->peer ? 0 : 7;
	if (c->peer) {
		peer->key.address.flags = UCMAD_ADDRESS_GRH;
		KUNIT_ASSERT_EQ(test, in6_pton(c->peer, -1, peer->key.address.dgid, -1, NULL), 1);
	}
	sender_fill(test, c, &wc, &header);
	KUNIT_EXPECT_EQ(test, ucmad_peer_is(peer, &wc, &header.ibgrh), c->is_peer);
}

static struct kunit_case ucmad_address_tests[] = {
	KUNIT_CASE_PARAM(sender_is_peer, sender_gen_params),
	{}
};

static struct kunit_suite ucmad_address_suite = {
	.name = "ucmad_address",
	.test_cases = ucmad_address_tests,
};

kunit_test_suite(ucmad_address_suite);
