// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
/* Connections, from their birth to their end, and all that can cross on the way; see play.h. */
#include "../compat.h"
#include "play.h"
#include "program.h"

/* Both have come as far as that the program has nothing to acknowledge. */
#define ACCEPTED "listen REQ >REQ ack rep RTU >RTU ack"
#define CONNECTED "req REP >REP ack rtu"

static const struct ucmad_play_case play_cases[] = {
	/* The passive side. */
	{ "accepted, the peer disconnects", {
	  ACCEPTED, "state:ESTABLISHED DREQ >DREQ ack state:DREQ_RCVD error:CONNRESET drep",
	  "state:TIMEWAIT TIMEWAIT_EXIT >TIMEWAIT_EXIT state:IDLE" } },
	{ "accepted, the program disconnects", {
	  ACCEPTED, "dreq state:DREQ_SENT DREP >DREP ack state:TIMEWAIT TIMEWAIT_EXIT",
	  ">TIMEWAIT_EXIT state:IDLE error:0 rep=BADFD" } },
	{ "refused", { "listen REQ >REQ state:REQ_RCVD rej state:IDLE error:0 rep=BADFD" } },
	{ "the REP is not answered", {
	  "listen REQ >REQ rep state:REP_SENT REP_ERROR error:TIMEDOUT rep=TIMEDOUT ack",
	  ">REP_ERROR state:IDLE" } },
	{ "the peer asks for time for the RTU", {
	  "listen REQ >REQ ack rep MRA state:MRA_REP_RCVD >MRA ack RTU >RTU" } },
	{ "the REP is taken back", { "listen REQ >REQ rep rej state:IDLE error:0" } },
	{ "the peer rejects the REP", { "listen REQ >REQ rep REJ error:CONNRESET ack >REJ" } },

	/* The active side. */
	{ "connected, the program disconnects", {
	  CONNECTED, "state:ESTABLISHED dreq DREP >DREP ack TIMEWAIT_EXIT >TIMEWAIT_EXIT",
	  "state:IDLE error:0" } },
	{ "connected, the peer disconnects", {
	  CONNECTED, "DREQ dreq=CONNRESET drep error:CONNRESET >DREQ" } },
	{ "connected again", {
	  CONNECTED, "dreq DREP TIMEWAIT_EXIT req error:0 state:REQ_SENT REP >DREP ack",
	  ">TIMEWAIT_EXIT ack >REP" } },
	{ "the peer asks for time", {
	  "req MRA >MRA ack state:MRA_REQ_RCVD REP >REP state:REP_RCVD" } },
	{ "the REQ is not answered", {
	  "req REQ_ERROR error:TIMEDOUT rtu=TIMEDOUT >REQ_ERROR state:IDLE req error:0",
	  "rtu=BADFD" } },
	{ "the REQ is taken back", { "req time_out_rej state:IDLE error:0 rtu=BADFD req" } },
	{ "the REQ is rejected", { "req REJ rtu=CONNRESET >REJ state:IDLE" } },
	{ "the REP is rejected", { "req REP >REP rej state:TIMEWAIT error:0 rtu=BADFD" } },
	{ "the DREQ is not answered", {
	  CONNECTED, "dreq DREQ_ERROR error:TIMEDOUT dreq=TIMEDOUT state:TIMEWAIT",
	  ">DREQ_ERROR" } },
	{ "alternate paths", {
	  CONNECTED, "LAP APR LAP_ERROR >LAP ack >APR ack >LAP_ERROR state:ESTABLISHED",
	  "error:0" } },
	{ "the longest series of events (EV-NOLOSS)", {
	  "req MRA REP rtu LAP APR LAP_ERROR DREQ drep DREP TIMEWAIT_EXIT >MRA ack >REP ack",
	  ">LAP ack >APR ack >LAP_ERROR ack >DREQ ack >DREP ack >TIMEWAIT_EXIT" } },

	/* SIDR. */
	{ "a service is asked for", {
	  "sidr_req state:SIDR_REQ_SENT SIDR_REP >SIDR_REP state:IDLE error:0" } },
	{ "a service is asked for in vain", {
	  "sidr_req SIDR_REQ_ERROR error:TIMEDOUT sidr_rep=TIMEDOUT >SIDR_REQ_ERROR",
	  "state:IDLE sidr_req" } },
	{ "a service is named", {
	  "listen SIDR_REQ >SIDR_REQ state:SIDR_REQ_RCVD sidr_rep state:IDLE" } },

	/* Data before the RTU. */
	{ "data before the RTU", {
	  "listen REQ >REQ ack rep *USER_ESTABLISHED comm_est state:ESTABLISHED",
	  "comm_est=ISCONN >USER_ESTABLISHED" } },
	{ "data after the RTU", { "listen REQ >REQ ack rep RTU comm_est=ISCONN >RTU" } },
	{ "the RTU in the middle of it", {
	  "listen REQ >REQ rep +RTU comm_est=ISCONN ack >RTU" } },
	{ "a DREQ overtakes", { "listen REQ >REQ rep *DREQ comm_est state:DREQ_RCVD" } },

	/* A REJ and the answer to its REQ. */
	{ "REJ before the REQ is taken", { "listen REQ REJ >REQ rep=CONNRESET >- ack >REJ" } },
	{ "REJ after the REQ is taken", { "listen REQ >REQ REJ rep=CONNRESET >- ack >REJ" } },
	{ "REJ of which only the CM knows", {
	  "listen REQ >REQ (REJ error:CONNRESET rep=CONNRESET REJ) ack >REJ error:CONNRESET" } },
	{ "REJ in the middle, before the REP", {
	  "listen REQ >REQ +REJ rep=CONNRESET ack >REJ" } },
	{ "REJ in the middle, after the REP", {
	  "listen REQ >REQ *REJ rep rep=CONNRESET ack >REJ" } },
	{ "REJ after the REP", { "listen REQ >REQ rep REJ rep=CONNRESET ack >REJ" } },
	{ "REJ and our own REJ", { "listen REQ >REQ REJ rej=CONNRESET" } },
	{ "our own REJ and REJ", { "listen REQ >REQ rej [create,listen,rej] rej=BADFD" } },
	{ "REP before our REJ", { "req REP rej >REP error:0" } },
	{ "REP in the middle of taking back", {
	  "req +REP time_out_rej state:IDLE error:0 >REP" } },

	/* Both sides disconnect. */
	{ "DREQ before ours", { CONNECTED, "DREQ dreq=CONNRESET error:CONNRESET drep" } },
	{ "DREQ of which only the CM knows", {
	  CONNECTED, "(DREQ dreq=CONNRESET error:CONNRESET DREQ) error:CONNRESET >DREQ" } },
	{ "DREQ in the middle, before ours", {
	  CONNECTED, "+DREQ dreq=CONNRESET error:CONNRESET >DREQ" } },
	{ "DREQ in the middle, after ours", {
	  CONNECTED, "*DREQ dreq error:0 state:DREQ_RCVD drep >DREQ" } },
	{ "DREQ after ours", { CONNECTED, "dreq DREQ error:0 state:DREQ_RCVD drep >DREQ" } },
	{ "ours has failed, then DREQ", {
	  CONNECTED, "fail:dreq dreq=NOMEM works:dreq DREQ state:DREQ_RCVD" } },

	/* Backlog (CM-BACKLOG). */
	{ "no room in the backlog", {
	  "small_listen REQ REQ=NOMEM SIDR_REQ=NOMEM dropped:2 >REQ REQ listener dropped:2",
	  ">REQ" } },
	{ "a listener is not held", { "listen REQ REQ >REQ >REQ >-" } },

	/* Destroyed (CM-TEARDOWN, DEL-SILENT, DEL-COUNT). */
	{ "destroyed, new", { "destroy=0 req=NOENT []" } },
	{ "destroyed, listening", { "listen destroy=0 [create,listen,destroy] listen=NOENT" } },
	{ "destroyed in REQ_SENT", { "req destroy=0 [create,req,destroy]" } },
	{ "destroyed in REP_RCVD, untold", { "req REP destroy=1 >-" } },
	{ "destroyed in REP_RCVD, told", { "req REP >REP destroy=0 >- [create,req,destroy]" } },
	{ "destroyed in REQ_RCVD", { "listen REQ >REQ destroy=0 [create,listen,destroy]" } },
	{ "destroyed in REP_SENT", {
	  "listen REQ >REQ rep destroy=0 [create,listen,rep,destroy]" } },
	{ "destroyed in ESTABLISHED", { CONNECTED, "[create,req,rtu] destroy=0 [destroy]" } },
	{ "destroyed in DREQ_RCVD", {
	  CONNECTED, "[create,req,rtu] DREQ destroy=1 [destroy]" } },
	{ "destroyed in TIMEWAIT", {
	  CONNECTED, "dreq DREP [create,req,rtu,dreq] destroy=1 [destroy]" } },
	{ "destroyed, idle again", { "req REJ [create,req] destroy=1 [destroy]" } },
	{ "destroyed in SIDR_REQ_RCVD", { "listen SIDR_REQ >SIDR_REQ destroy=0" } },
	{ "an event in the middle of the destroy", { "req +REJ destroy=0 >-" } },
	{ "an event before the destroy", { "req REJ destroy=1 >-" } },
	{ "an operation before the destroy", {
	  "req REP rtu destroy=1 [create,req,rtu,destroy]" } },
	{ "an operation after the destroy", { "req REP late [create,req,destroy] >-" } },

	/* The listener is destroyed. */
	{ "a REQ that nobody has seen", {
	  "listen REQ destroy=1 [create,listen,destroy,destroy] >-" } },
	{ "... with a REJ", { "listen REQ REJ destroy=2 [create,listen,destroy,destroy] >-" } },
	{ "a REQ in the middle of the destroy", {
	  "listen +REQ destroy=0 outcome:CONNREFUSED [create,listen,destroy] >-" } },
	{ "a REQ that was taken", {
	  "listen REQ >REQ listener destroy=0 child ack rep RTU >RTU" } },

	/* The device goes away (DEL-HOTPLUG). */
	{ "removed, new", {
	  "remove >DEVICE_REMOVED state:REMOVED error:NODEV req=NODEV listen=NODEV",
	  "destroy=0" } },
	{ "removed, connected", {
	  CONNECTED, "[create,req,rtu] remove [destroy] >DEVICE_REMOVED dreq=NODEV" } },
	{ "removed, an event waits", { "req REJ remove >REJ ack >DEVICE_REMOVED" } },
	{ "removed, an event comes meanwhile", { "req +REJ remove >REJ ack >DEVICE_REMOVED" } },
	{ "removed, then destroyed", { "req remove [create,req,destroy] destroy=1 [] >-" } },
	{ "destroyed, then removed", { "req destroy=0 [create,req,destroy] remove [] >-" } },
	{ "removed, a REQ waits", {
	  "listen REQ remove [create,listen,destroy,destroy] >REQ ack >DEVICE_REMOVED ack",
	  ">DEVICE_REMOVED rep=NODEV" } },
	{ "removed, a REQ comes meanwhile", {
	  "listen +REQ remove outcome:NOMEM >DEVICE_REMOVED" } },
	{ "removed while searching", { "roce_req remove [resolve] >DEVICE_REMOVED" } },
	{ "removed, found meanwhile", {
	  "roce_req +found remove [resolve] >DEVICE_REMOVED >-" } },
	{ "removed after it was found", {
	  "roce_req found remove [resolve,create,req,destroy] >DEVICE_REMOVED" } },

	/* RESOLVING. */
	{ "found", {
	  "roce_req state:RESOLVING error:0 found [resolve,create,req] state:REQ_SENT REP",
	  ">REP" } },
	{ "not found", {
	  "roce_req lost [resolve] state:IDLE error:TIMEDOUT rtu=TIMEDOUT >REQ_ERROR",
	  "roce_req error:0 found state:REQ_SENT" } },
	{ "not found, SIDR", {
	  "roce_sidr_req lost state:IDLE error:TIMEDOUT >SIDR_REQ_ERROR" } },
	{ "found, SIDR", { "roce_sidr_req found state:SIDR_REQ_SENT SIDR_REP >SIDR_REP" } },
	{ "the search fails at once", {
	  "fail:resolve roce_req [resolve] state:IDLE error:NOMEM >REQ_ERROR" } },
	{ "found, but the REQ fails", {
	  "fail:req roce_req found [resolve,create,req,destroy] state:IDLE error:NOMEM",
	  ">REQ_ERROR" } },
	{ "destroyed while searching", { "roce_req destroy=0 [resolve] >-" } },
	{ "destroyed, found meanwhile", { "roce_req +found destroy=0 [resolve] >-" } },
	{ "destroyed after it was found", {
	  "roce_req found destroy=0 [resolve,create,req,destroy]" } },
	{ "destroyed after it was not found", { "roce_req lost destroy=1 [resolve] >-" } },
	{ "two at a time", { "roce_req roce_req=BADFD req=BADFD listen=BADFD found" } },
};

/* Only for kernels whose CM tells a peer to wait when it is asked to. */
static const struct ucmad_play_case patience_cases[] = {
	{ "impatient", { "listen REQ quiet >REQ rep quiet" } },
	{ "the REQ waits, then the program answers", {
	  "patient_listen REQ due [create,listen,mra] >REQ state:MRA_REQ_SENT rep due [rep]",
	  "state:REP_SENT" } },
	{ "the program answers at once", {
	  "patient_listen REQ >REQ rep due [create,listen,rep] state:REP_SENT error:0" } },
	{ "the program refuses at once", {
	  "patient_listen REQ >REQ rej due [create,listen,rej]" } },
	{ "the program never answers", {
	  "patient_listen REQ >REQ due later [create,listen,mra,rej] state:IDLE",
	  "error:TIMEDOUT rep=TIMEDOUT quiet ack >EXPIRED" } },
	{ "the REQ was not even taken", {
	  "patient_listen REQ due later >REQ rep=TIMEDOUT ack >EXPIRED" } },
	{ "the REP waits, then the program answers", {
	  "patient_req REP due state:MRA_REP_SENT rtu due [create,req,mra,rtu]",
	  "state:ESTABLISHED >REP ack >-" } },
	{ "the REP is never answered", {
	  "patient_req REP due later [create,req,mra,rej] state:TIMEWAIT error:TIMEDOUT",
	  "rtu=TIMEDOUT >REP ack >EXPIRED" } },

	/* The MRA and what crosses it. */
	{ "the peer gives up before", {
	  "patient_listen REQ REJ due [create,listen] >REQ ack >REJ" } },
	{ "the peer gives up, as the CM knows", {
	  "patient_listen REQ (REJ due quiet [create,listen,mra] REJ) >REQ ack >REJ ack >-" } },
	{ "the peer gives up in the middle", {
	  "patient_listen REQ +REJ due quiet >REQ ack >REJ" } },
	{ "the peer gives up afterwards", {
	  "patient_listen REQ due REJ due [create,listen,mra] >REQ ack >REJ ack >-" } },
	{ "no memory for the MRA", {
	  "patient_listen REQ fail:mra due later works:mra due [create,listen,mra,mra,mra]",
	  ">REQ state:MRA_REQ_SENT" } },
	{ "the program asks for more", {
	  "patient_listen REQ >REQ mra state:MRA_REQ_SENT due [create,listen,mra,rej] ack",
	  ">EXPIRED" } },
	{ "the program asks twice", { "patient_listen REQ >REQ mra mra=ALREADY" } },
	{ "the program asks too late", { "patient_listen REQ >REQ due mra=ALREADY" } },

	/* The REJ at the end and what crosses it. */
	{ "the peer gives up just before the end", {
	  "patient_listen REQ due (REJ due [create,listen,mra,rej] REJ) >REQ ack >REJ ack",
	  ">-" } },
	{ "the peer gives up as it ends", {
	  "patient_listen REQ due +REJ due >REQ error:CONNRESET ack >REJ ack >-" } },
	{ "the REP just before the end", {
	  "patient_listen REQ >REQ due rep due state:REP_SENT [create,listen,mra,rep]" } },
	{ "the REP just after the end", { "patient_listen REQ >REQ due later rep=TIMEDOUT" } },

	/* Destroyed, removed. */
	{ "destroyed, the peer does not wait yet", { "patient_listen REQ >REQ destroy=0" } },
	{ "destroyed while the peer waits", {
	  "patient_listen REQ >REQ due destroy=0 [create,listen,mra,destroy]" } },
	{ "an orphan for which the peer waits", {
	  "patient_listen REQ due destroy=1 [create,listen,mra,destroy,destroy]" } },
	{ "removed while the peer waits", {
	  "patient_listen REQ >REQ due remove ack >DEVICE_REMOVED" } },
	{ "a full backlog, and no timer of it", {
	  "small_patient_listen REQ REQ=NOMEM due [create,listen,mra]" } },
};

KUNIT_ARRAY_PARAM(play, play_cases, ucmad_play_case_name);
KUNIT_ARRAY_PARAM(patience, patience_cases, ucmad_play_case_name);

static void play_test(struct kunit *test)
{
	ucmad_play(test, test->param_value);
}

static void patience_test(struct kunit *test)
{
	if (!UCMAD_COMPAT_MRA_AT_REQUEST)
		kunit_skip(test, "this CM sends no MRA when it is asked to");
	ucmad_play(test, test->param_value);
}

static struct kunit_case ucmad_cm_play_tests[] = {
	KUNIT_CASE_PARAM(play_test, play_gen_params),
	KUNIT_CASE_PARAM(patience_test, patience_gen_params),
	{}
};

static struct kunit_suite ucmad_cm_play_suite = {
	.name = "ucmad_cm_play",
	.suite_init = ucmad_program_suite_init,
	.suite_exit = ucmad_program_suite_exit,
	.init = ucmad_program_init,
	.exit = ucmad_program_exit,
	.test_cases = ucmad_cm_play_tests,
};

kunit_test_suite(ucmad_cm_play_suite);
