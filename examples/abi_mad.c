// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/*
 * MADs with the ABI alone: <rdma/ucmad.h> and system calls. One agent answers requests, another sends
 * one and waits for the response, then cancels a second one; over the port's own GID.
 *
 * usage: abi_mad GID_INDEX
 */
#include <rdma/ucmad.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A vendor class and its OUI; any vendor has its own. */
#define CLASS	0x32
static const uint8_t oui[3] = { 0x00, 0x14, 0x05 };

static void check(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void call(int fd, unsigned long request, void *arg, const char *what)
{
	check(!ioctl(fd, request, arg), what);
}

static struct ucmad_device_info first_device(int fd)
{
	struct ucmad_device_info device;
	struct ucmad_devices devices = {
		.size = sizeof(devices),
		.count = 1,
		.devices = (uintptr_t)&device,
		.entry_size = sizeof(device),
	};

	memset(&device, 0, sizeof(device));
	call(fd, UCMAD_IOCTL_DEVICES, &devices, "devices");
	if (!devices.count) {
		fprintf(stderr, "no RDMA device\n");
		exit(1);
	}
	return device;
}

/* QP1 of the port itself. */
static struct ucmad_mad_address address_of_gid(const struct ucmad_device_info *device, int index)
{
	struct ucmad_mad_address to = {
		.qpn = 1,
		.qkey = UCMAD_MAD_QKEY,
		.sgid_index = (uint16_t)index,
		.flags = UCMAD_ADDRESS_GRH,
	};
	char name[128], text[64];
	FILE *file;

	snprintf(name, sizeof(name), "/sys/class/infiniband/%s/ports/1/gids/%d", device->name, index);
	file = fopen(name, "r");
	check(file && fgets(text, sizeof(text), file), name);
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	check(inet_pton(AF_INET6, text, to.dgid) == 1, text);
	return to;
}

static uint32_t enroll(int fd, uint32_t device, int responds)
{
	struct ucmad_mad_register arg = {
		.size = sizeof(arg),
		.device = device,
		.port = 1,
		.qp = 1,
	};

	if (responds) {
		arg.mgmt_class = CLASS;
		arg.class_version = 1;
		memcpy(arg.oui, oui, sizeof(oui));
		arg.method_mask[0] = 1 << 1; /* Get */
	}
	call(fd, UCMAD_IOCTL_MAD_REGISTER, &arg, "register");
	return arg.object;
}

/* A request, or with @request the answer to it. Returns its handle. */
static uint32_t post(int fd, uint32_t agent, const uint8_t *mad, const struct ucmad_mad_address *to,
		     uint64_t request, uint64_t cookie)
{
	struct ucmad_mad_send send = {
		.mad = (uintptr_t)mad,
		.mad_len = UCMAD_MAD_SIZE,
		.cookie = cookie,
		.in_reply_to = request,
	};
	struct ucmad_mad_post arg = {
		.size = sizeof(arg),
		.object = agent,
		.sends = (uintptr_t)&send,
		.count = 1,
		.entry_size = sizeof(send),
	};

	if (request) {
		send.flags = UCMAD_SEND_NO_RESPONSE;
	} else {
		send.to = *to;
		send.timeout_ms = 1000;
		send.retries = 3;
	}
	call(fd, UCMAD_IOCTL_MAD_POST, &arg, "post");
	return send.handle;
}

/* The next event of an agent. It is taken by name, so there is nothing to acknowledge. */
static void take(int fd, uint32_t agent, uint64_t *buffer, uint32_t size)
{
	struct ucmad_events arg = {
		.size = sizeof(arg),
		.object = agent,
		.buffer = (uintptr_t)buffer,
		.buffer_len = size,
		.max_events = 1,
		.timeout_ns = 10000000000LL,
	};

	call(fd, UCMAD_IOCTL_EVENTS, &arg, "events");
}

int main(int argc, char **argv)
{
	uint8_t mad[UCMAD_MAD_SIZE] = { 1, CLASS, 1, 1 /* Get */ };
	uint64_t buffer[128];
	const struct ucmad_event *event = (const void *)buffer;
	const struct ucmad_mad_completion *done = (const void *)(event + 1);
	const struct ucmad_mad_receive *received = (const void *)(event + 1);
	struct ucmad_mad_cancel cancel = { .size = sizeof(cancel), .count = 1 };
	struct ucmad_destroy destroy = { .size = sizeof(destroy) };
	struct ucmad_device_info device;
	struct ucmad_mad_address to;
	uint32_t client, server, handle;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: %s GID_INDEX\n", argv[0]);
		return 2;
	}
	fd = open(UCMAD_DEVICE_PATH, O_RDWR | O_CLOEXEC);
	check(fd >= 0, UCMAD_DEVICE_PATH);
	device = first_device(fd);
	to = address_of_gid(&device, atoi(argv[1]));
	server = enroll(fd, device.index, 1);
	client = enroll(fd, device.index, 0);

	memcpy(mad + 37, oui, sizeof(oui));
	strcpy((char *)mad + 40, "question");
	post(fd, client, mad, &to, 0, 1);

	take(fd, server, buffer, sizeof(buffer));
	if (event->type != UCMAD_EVENT_MAD_RECEIVE)
		return 1;
	printf("the server has received: %s\n", (const char *)buffer + event->data_offset + 40);
	mad[3] = 0x81; /* GetResp */
	strcpy((char *)mad + 40, "answer");
	post(fd, server, mad, NULL, received->request, 2);

	take(fd, client, buffer, sizeof(buffer));
	if (event->type != UCMAD_EVENT_MAD_SEND || done->status != UCMAD_MAD_RESPONDED)
		return 1;
	printf("the client has received: %s, after %u try\n",
	       (const char *)buffer + event->data_offset + 40, done->tries);

	/* A method that nobody waits for. */
	mad[3] = 3;
	handle = post(fd, client, mad, &to, 0, 3);
	cancel.object = client;
	cancel.handles = (uintptr_t)&handle;
	call(fd, UCMAD_IOCTL_MAD_CANCEL, &cancel, "cancel");
	take(fd, client, buffer, sizeof(buffer));
	if (done->cookie != 3 || done->status != UCMAD_MAD_CANCELLED)
		return 1;
	printf("the second one was cancelled\n");

	destroy.object = client;
	call(fd, UCMAD_IOCTL_DESTROY, &destroy, "deregister");
	close(fd);
	return 0;
}
