// Streams and events.
#include <algorithm>
#include <cmath>
#include <string>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/runtime/runtime.h"
#include "common/simulator/runtime/work.h"

using namespace gridstride::sim;

namespace {

// As cudaDeviceGetStreamPriorityRange says for the H200; the simulated GPU takes no heed of them.
constexpr int least_priority = 0, greatest_priority = -5;

cudaError_t create_stream(const char* call, cudaStream_t* stream, unsigned flags, int priority) {
  return guarded(call, [&](Runtime& runtime) {
    if (stream == nullptr) invalid("no place for the stream");
    if (flags > cudaStreamNonBlocking) invalid("unknown flags");
    const StreamId id = runtime.device().create_stream(flags == cudaStreamNonBlocking);
    const int clamped = std::max(std::min(priority, least_priority), greatest_priority);
    runtime.streams[id] = {.flags = flags, .priority = clamped, .attributes = {}};
    *stream = Runtime::handle_of_stream(id);
  });
}

Runtime::StreamTraits& traits_of(Runtime& runtime, cudaStream_t stream) {
  const StreamId id = runtime.stream(stream);
  return id == 0 ? runtime.default_stream : runtime.streams.at(id);
}

void wait_for(Runtime& runtime, cudaStream_t stream) {
  runtime.captures.forbid(runtime, stream);
  runtime.synchronize(runtime.stream(stream));
}

void wait_for(Runtime& runtime, cudaEvent_t event) {
  runtime.captures.forbid(runtime.event(event));
  runtime.synchronize_event(runtime.event(event));
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream("cudaStreamCreate", stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream("cudaStreamCreateWithFlags", stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create_stream("cudaStreamCreateWithPriority", stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return guarded("cudaStreamDestroy", [&](Runtime& runtime) {
    const StreamId id = runtime.stream(stream);
    if (id == 0) {
      throw DeviceError(error_invalid_handle, false, "the default stream cannot be destroyed");
    }
    runtime.captures.forget_stream(id);
    runtime.device().destroy_stream(id);
    runtime.streams.erase(id);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return guarded("cudaStreamSynchronize", [&](Runtime& runtime) { wait_for(runtime, stream); });
}

// Work is executed in the order of the calls, so it is always done by the time somebody asks; the
// host's modelled clock moves as if it had asked until it was.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return guarded("cudaStreamQuery", [&](Runtime& runtime) { wait_for(runtime, stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return guarded("cudaStreamWaitEvent",
                 [&](Runtime& runtime) { submit(runtime, stream, WaitWork{event}); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return guarded("cudaStreamGetFlags", [&](Runtime& runtime) {
    if (flags == nullptr) invalid("no place for the flags");
    *flags = traits_of(runtime, stream).flags;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return guarded("cudaStreamGetPriority", [&](Runtime& runtime) {
    if (priority == nullptr) invalid("no place for the priority");
    *priority = traits_of(runtime, stream).priority;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return guarded("cudaStreamGetId", [&](Runtime& runtime) {
    if (id == nullptr) invalid("no place for the number");
    *id = runtime.stream(stream);
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return guarded("cudaStreamGetDevice", [&](Runtime& runtime) {
    runtime.stream(stream);
    if (device == nullptr) invalid("no place for the device");
    *device = 0;
  });
}

// Kept, and without consequence: what each of them would change is nothing a program could see.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue* value) {
  return guarded("cudaStreamSetAttribute", [&](Runtime& runtime) {
    if (value == nullptr) invalid("no value");
    Runtime::StreamTraits& traits = traits_of(runtime, stream);
    switch (attribute) {
      case cudaLaunchAttributePriority:
        traits.priority = value->priority;
        return;
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributeMemSyncDomainMap:
      case cudaLaunchAttributeMemSyncDomain:
        traits.attributes[attribute] = *value;
        return;
      default:
        invalid("this attribute is not one of streams");
    }
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
  return guarded("cudaStreamGetAttribute", [&](Runtime& runtime) {
    if (value == nullptr) invalid("no place for the value");
    const Runtime::StreamTraits& traits = traits_of(runtime, stream);
    *value = {};
    const auto set = traits.attributes.find(attribute);
    if (attribute == cudaLaunchAttributePriority) value->priority = traits.priority;
    if (set != traits.attributes.end()) *value = set->second;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return guarded("cudaStreamCopyAttributes", [&](Runtime& runtime) {
    const auto attributes = traits_of(runtime, from).attributes;
    traits_of(runtime, to).attributes = attributes;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned) {
  const cudaError_t checked = guarded("cudaStreamAddCallback", [&](Runtime& runtime) {
    if (callback == nullptr) invalid("no function to call");
    runtime.device();
    runtime.captures.forbid(runtime, stream);
    const StreamId id = runtime.stream(stream);
    if (runtime.device().properties().hardware) runtime.synchronize(id);
  });
  if (checked != cudaSuccess) return checked;
  return guarded_without_lock("cudaStreamAddCallback",
                              [&](Runtime&) { callback(stream, cudaSuccess, user_data); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  return guarded("cudaLaunchHostFunc", [&](Runtime& runtime) {
    if (function == nullptr) invalid("no function to call");
    runtime.device();
    submit(runtime, stream, HostWork{{function, user_data}});
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return guarded("cudaEventCreate", [&](Runtime& runtime) {
    if (event == nullptr) invalid("no place for the event");
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming;
    if ((flags & ~known) != 0) {
      runtime.refuse_call("event flag " + std::to_string(flags));
      throw DeviceError(error_not_supported, false, "this event flag is not supported");
    }
    const EventId id = runtime.device().create_event();
    runtime.events[id] = flags;
    *event = Runtime::handle_of_event(id);
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return guarded("cudaEventDestroy", [&](Runtime& runtime) {
    const EventId id = runtime.event(event);
    runtime.captures.forget_event(id);
    runtime.device().destroy_event(id);
    runtime.events.erase(id);
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return guarded("cudaEventRecord",
                 [&](Runtime& runtime) { submit(runtime, stream, RecordWork{event}); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return guarded("cudaEventRecordWithFlags", [&](Runtime& runtime) {
    if (flags > cudaEventRecordExternal) invalid("unknown flags");
    submit(runtime, stream, RecordWork{event, flags == cudaEventRecordExternal});
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return guarded("cudaEventSynchronize", [&](Runtime& runtime) { wait_for(runtime, event); });
}

// See cudaStreamQuery.
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return guarded("cudaEventQuery", [&](Runtime& runtime) { wait_for(runtime, event); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return guarded("cudaEventElapsedTime", [&](Runtime& runtime) {
    if (milliseconds == nullptr) invalid("no place for the time");
    const EventId from = runtime.event(start), to = runtime.event(end);
    runtime.captures.forbid(from);
    runtime.captures.forbid(to);
    const bool untimed =
        ((runtime.events.at(from) | runtime.events.at(to)) & cudaEventDisableTiming) != 0;
    if (untimed) {
      throw DeviceError(error_invalid_handle, false,
                        "an event made with cudaEventDisableTiming has no time");
    }
    *milliseconds = static_cast<float>(1e3 * runtime.device().elapsed(from, to));
  });
}
