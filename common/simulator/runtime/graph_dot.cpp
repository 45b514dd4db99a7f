// Writes a graph as a drawing for Graphviz: a cluster for each graph, nested for graphs in nodes.
#include "common/simulator/runtime/graph_dot.h"

#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <variant>

#include "common/simulator/runtime/runtime.h"

namespace gridstride::sim {
namespace {

std::string text_of(const dim3& dim) {
  std::ostringstream text;
  text << dim.x << "," << dim.y << "," << dim.z;
  return text.str();
}

class DotWriter {
 public:
  DotWriter(Runtime& runtime, unsigned flags) : runtime_(runtime), flags_(flags) {}

  std::string write(const Graph& graph) {
    out_ << "digraph dot {\n";
    write_cluster(graph);
    out_ << "}\n";
    return out_.str();
  }

 private:
  bool wants(unsigned flag) const { return (flags_ & (flag | cudaGraphDebugDotFlagsVerbose)) != 0; }

  void write_cluster(const Graph& graph) {
    const std::size_t cluster = ++clusters_;
    out_ << "subgraph cluster_" << cluster << " {\nlabel=\"graph_" << cluster << "\"\n";
    for (const auto& node : graph.nodes()) {
      const std::size_t number = numbers_.size();
      numbers_[node.get()] = number;
      out_ << "node_" << number << " [shape=box label=\"" << number << "\\n" << label(*node);
      if (wants(cudaGraphDebugDotFlagsHandles)) out_ << "\\nhandle " << node.get();
      out_ << "\"]\n";
    }
    for (const auto& node : graph.nodes()) {
      for (const GraphNode* next : node->to) {
        out_ << "node_" << numbers_.at(node.get()) << " -> node_" << numbers_.at(next) << "\n";
      }
      if (const auto* child = std::get_if<ChildWork>(&node->work)) write_cluster(*child->graph);
      if (const auto* choice = std::get_if<ConditionWork>(&node->work)) {
        for (const auto& body : choice->bodies) write_cluster(*body);
      }
    }
    out_ << "}\n";
  }

  std::string label(const GraphNode& node) {
    std::ostringstream text;
    if (const auto* kernel = std::get_if<KernelWork>(&node.work)) {
      text << "KERNEL\\n" << runtime_.modules().kernel(runtime_.device(), kernel->function).name;
      if (wants(cudaGraphDebugDotFlagsKernelNodeParams)) {
        text << "\\n<<<(" << text_of(kernel->grid) << "),(" << text_of(kernel->block) << "),"
             << kernel->shared << ">>>";
      }
    } else if (const auto* copy = std::get_if<CopyWork>(&node.work)) {
      text << "MEMCPY";
      if (wants(cudaGraphDebugDotFlagsMemcpyNodeParams)) {
        const cudaExtent& extent = copy->what.extent;
        text << "\\n"
             << copy->what.srcPtr.ptr << " -> " << copy->what.dstPtr.ptr << "\\n"
             << extent.width << " x " << extent.height << " x " << extent.depth;
      }
    } else if (const auto* fill = std::get_if<FillWork>(&node.work)) {
      text << "MEMSET";
      if (wants(cudaGraphDebugDotFlagsMemsetNodeParams)) {
        const cudaMemsetParams& params = fill->params;
        text << "\\n"
             << params.dst << " = " << params.value << "\\n"
             << params.width << " x " << params.height << " of " << params.elementSize << " bytes";
      }
    } else {
      text << plain_label(node.work);
    }
    return text.str();
  }

  static const char* plain_label(const Work& work) {
    switch (type_of(work)) {
      case cudaGraphNodeTypeHost:
        return "HOST";
      case cudaGraphNodeTypeGraph:
        return "GRAPH";
      case cudaGraphNodeTypeWaitEvent:
        return "EVENT_WAIT";
      case cudaGraphNodeTypeEventRecord:
        return "EVENT_RECORD";
      case cudaGraphNodeTypeMemAlloc:
        return "MEM_ALLOC";
      case cudaGraphNodeTypeMemFree:
        return "MEM_FREE";
      case cudaGraphNodeTypeConditional:
        return "CONDITIONAL";
      default:
        return "EMPTY";
    }
  }

  Runtime& runtime_;
  unsigned flags_;
  std::ostringstream out_;
  std::size_t clusters_ = 0;
  std::map<const GraphNode*, std::size_t> numbers_;
};

}  // namespace

std::string dot_of(Runtime& runtime, const Graph& graph, unsigned flags) {
  return DotWriter(runtime, flags).write(graph);
}

}  // namespace gridstride::sim
