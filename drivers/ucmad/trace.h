/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Tracepoints: the life of objects and the way of events. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ucmad

#if !defined(UCMAD_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define UCMAD_TRACE_H

#include <linux/tracepoint.h>

#include "object.h"

TRACE_EVENT(ucmad_object_publish,
	    TP_PROTO(const struct ucmad_object *object),
	    TP_ARGS(object),
	    TP_STRUCT__entry(__field(const void *, file) __field(u32, handle)),
	    TP_fast_assign(__entry->file = object->file; __entry->handle = object->handle;),
	    TP_printk("file=%p object=%u", __entry->file, __entry->handle));

TRACE_EVENT(ucmad_object_destroy,
	    TP_PROTO(const struct ucmad_object *object, u32 discarded),
	    TP_ARGS(object, discarded),
	    TP_STRUCT__entry(__field(const void *, file) __field(u32, handle)
			     __field(u32, discarded)),
	    TP_fast_assign(__entry->file = object->file; __entry->handle = object->handle;
			   __entry->discarded = discarded;),
	    TP_printk("file=%p object=%u discarded=%u", __entry->file, __entry->handle,
		      __entry->discarded));

DECLARE_EVENT_CLASS(ucmad_event,
		    TP_PROTO(const struct ucmad_queued *event),
		    TP_ARGS(event),
		    TP_STRUCT__entry(__field(const void *, file) __field(u32, object)
				     __field(u32, source) __field(u64, sequence) __field(u16, type)
				     __field(u16, flags)),
		    TP_fast_assign(__entry->file = event->object->file;
				   __entry->object = event->object->handle;
				   __entry->source = event->source->handle;
				   __entry->sequence = event->head.sequence;
				   __entry->type = event->head.type;
				   __entry->flags = event->head.flags;),
		    TP_printk("file=%p object=%u source=%u sequence=%llu type=0x%x flags=0x%x",
			      __entry->file, __entry->object, __entry->source, __entry->sequence,
			      __entry->type, __entry->flags));

DEFINE_EVENT(ucmad_event, ucmad_event_post,
	     TP_PROTO(const struct ucmad_queued *event), TP_ARGS(event));
DEFINE_EVENT(ucmad_event, ucmad_event_take,
	     TP_PROTO(const struct ucmad_queued *event), TP_ARGS(event));

#endif /* UCMAD_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
