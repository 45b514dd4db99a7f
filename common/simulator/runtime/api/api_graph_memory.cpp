// Memory of graphs as a whole, and objects of the program's that graphs hold on to.
#include <cstdint>
#include <memory>
#include <utility>

#include "common/simulator/runtime/api/check_ordinal.h"
#include "common/simulator/runtime/graph.h"
#include "common/simulator/runtime/runtime.h"

using namespace gridstride::sim;

namespace {

UserObjects::iterator references(Runtime& runtime, cudaUserObject_t object, unsigned count) {
  const auto found = runtime.graphs.objects.find(reinterpret_cast<UserObject*>(object));
  if (count == 0) invalid("no references");
  if (found == runtime.graphs.objects.end()) invalid("this object does not exist, or no longer");
  return found;
}

/// The last one may end the object, which calls the program.
void take_away(UserObjects& objects, UserObjects::iterator which, unsigned count) {
  if (which->second.count < count) invalid("more references than there are");
  which->second.count -= count;
  if (which->second.count > 0) return;
  const std::shared_ptr<UserObject> last = std::move(which->second.object);
  objects.erase(which);
}

}  // namespace

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return guarded("cudaDeviceGetGraphMemAttribute", [&](Runtime& runtime) {
    check_ordinal(device);
    if (value == nullptr) invalid("no place for the value");
    std::uint64_t used = 0, reserved = 0;
    for (const auto& [begin, memory] : runtime.graphs.memory) {
      used += memory->in_use ? memory->bytes : 0;
      reserved += memory->bytes;
    }
    auto& out = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaGraphMemAttrUsedMemCurrent:
        out = used;
        return;
      case cudaGraphMemAttrUsedMemHigh:
        out = runtime.graphs.most_used;
        return;
      case cudaGraphMemAttrReservedMemCurrent:
        out = reserved;
        return;
      case cudaGraphMemAttrReservedMemHigh:
        out = runtime.graphs.most_reserved;
        return;
    }
    invalid("this attribute does not exist");
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return guarded("cudaDeviceSetGraphMemAttribute", [&](Runtime& runtime) {
    check_ordinal(device);
    if (value == nullptr || *static_cast<std::uint64_t*>(value) != 0) {
      invalid("a high-water mark can only be set to 0");
    }
    if (attribute == cudaGraphMemAttrUsedMemHigh) {
      runtime.graphs.most_used = 0;
    } else if (attribute == cudaGraphMemAttrReservedMemHigh) {
      runtime.graphs.most_reserved = 0;
    } else {
      invalid("only high-water marks can be set");
    }
  });
}

// What no graph has is given back at once: nothing is left to trim.
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return guarded("cudaDeviceGraphMemTrim", [&](Runtime&) { check_ordinal(device); });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* what, cudaHostFn_t destroy,
                                 unsigned count, unsigned flags) {
  return guarded("cudaUserObjectCreate", [&](Runtime& runtime) {
    if (object == nullptr || destroy == nullptr) invalid("no place for the object, or no end");
    if (count == 0 || flags != cudaUserObjectNoDestructorSync) invalid("no references, or flags");
    auto created = std::make_shared<UserObject>(what, destroy);
    *object = reinterpret_cast<cudaUserObject_t>(created.get());
    runtime.graphs.objects[created.get()] = {.object = created, .count = count};
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return guarded("cudaUserObjectRetain", [&](Runtime& runtime) {
    references(runtime, object, count)->second.count += count;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return guarded("cudaUserObjectRelease", [&](Runtime& runtime) {
    take_away(runtime.graphs.objects, references(runtime, object, count), count);
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return guarded("cudaGraphRetainUserObject", [&](Runtime& runtime) {
    if (flags > cudaGraphUserObjectMove) invalid("unknown flags");
    Graph& holder = runtime.graphs.graph(graph);
    const auto own = references(runtime, object, count);
    UserReferences& held = holder.objects[own->first];
    held.object = own->second.object;
    held.count += count;
    if (flags == cudaGraphUserObjectMove) take_away(runtime.graphs.objects, own, count);
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return guarded("cudaGraphReleaseUserObject", [&](Runtime& runtime) {
    UserObjects& objects = runtime.graphs.graph(graph).objects;
    const auto held = objects.find(reinterpret_cast<UserObject*>(object));
    if (held == objects.end() || count == 0) invalid("the graph has no such references");
    take_away(objects, held, count);
  });
}
