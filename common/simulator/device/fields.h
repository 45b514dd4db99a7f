// The structures of device.h that travel on the device process's sockets: their members, in the
// order of the wire. A member that is not listed here stays behind.
#pragma once

#include <tuple>

#include "common/simulator/check/finding.h"
#include "common/simulator/count/access_pattern.h"
#include "common/simulator/count/atomic_queues.h"
#include "common/simulator/count/counters.h"
#include "common/simulator/device/device.h"
#include "common/simulator/device/packing.h"
#include "common/simulator/texture/description.h"

namespace gridstride::sim::wire {

// Of requests: read from bytes that nobody trusts.

template <>
inline constexpr auto fields<Dim3> = std::tuple(&Dim3::x, &Dim3::y, &Dim3::z);

template <>
inline constexpr auto fields<LaunchRequest> =
    std::tuple(&LaunchRequest::kernel, &LaunchRequest::grid, &LaunchRequest::block,
               &LaunchRequest::dynamic_shared, &LaunchRequest::stream, &LaunchRequest::cooperative,
               &LaunchRequest::arguments);

template <>
inline constexpr auto fields<TexelFormat> = std::tuple(&TexelFormat::kind, &TexelFormat::bits,
                                                       &TexelFormat::channels);

template <>
inline constexpr auto fields<ArrayShape> = std::tuple(&ArrayShape::format, &ArrayShape::width,
                                                      &ArrayShape::height, &ArrayShape::depth,
                                                      &ArrayShape::layered, &ArrayShape::cubemap,
                                                      &ArrayShape::surface, &ArrayShape::gather);

template <>
inline constexpr auto fields<TextureDescription> = std::tuple(
    &TextureDescription::array, &TextureDescription::address, &TextureDescription::width,
    &TextureDescription::height, &TextureDescription::pitch, &TextureDescription::format,
    &TextureDescription::modes, &TextureDescription::linear, &TextureDescription::normalized_float,
    &TextureDescription::normalized, &TextureDescription::srgb, &TextureDescription::border);

template <>
inline constexpr auto fields<RegionPlace> = std::tuple(&RegionPlace::array, &RegionPlace::address,
                                                       &RegionPlace::pitch, &RegionPlace::rows,
                                                       &RegionPlace::x, &RegionPlace::y,
                                                       &RegionPlace::z);

template <>
inline constexpr auto fields<RegionSize> = std::tuple(&RegionSize::width, &RegionSize::height,
                                                      &RegionSize::depth);

template <>
inline constexpr auto fields<CallRegion> = std::tuple(&CallRegion::before, &CallRegion::bytes,
                                                      &CallRegion::after, &CallRegion::filler,
                                                      &CallRegion::contents, &CallRegion::constant,
                                                      &CallRegion::result, &CallRegion::maker,
                                                      &CallRegion::absent, &CallRegion::elements);

// Of replies.

template <>
inline constexpr auto fields<DeviceProperties> = std::tuple(
    &DeviceProperties::name, &DeviceProperties::capability, &DeviceProperties::multiprocessors,
    &DeviceProperties::global_memory, &DeviceProperties::l2_bytes,
    &DeviceProperties::shared_per_block, &DeviceProperties::shared_per_block_optin,
    &DeviceProperties::shared_per_multiprocessor, &DeviceProperties::registers_per_multiprocessor,
    &DeviceProperties::warps_per_multiprocessor, &DeviceProperties::blocks_per_multiprocessor,
    &DeviceProperties::clock_khz, &DeviceProperties::memory_clock_khz,
    &DeviceProperties::memory_bus_bits, &DeviceProperties::first_address,
    &DeviceProperties::hardware, &DeviceProperties::elsewhere, &DeviceProperties::driver_version,
    &DeviceProperties::pci_bus_id);

template <>
inline constexpr auto fields<ParameterLayout> = std::tuple(&ParameterLayout::offset,
                                                           &ParameterLayout::size);

template <>
inline constexpr auto fields<KernelInfo> = std::tuple(
    &KernelInfo::id, &KernelInfo::name, &KernelInfo::parameters, &KernelInfo::argument_bytes,
    &KernelInfo::registers, &KernelInfo::registers_estimated, &KernelInfo::static_shared,
    &KernelInfo::constant_bytes, &KernelInfo::local_bytes, &KernelInfo::max_threads,
    &KernelInfo::architecture);

template <>
inline constexpr auto fields<SymbolInfo> = std::tuple(&SymbolInfo::name, &SymbolInfo::address,
                                                      &SymbolInfo::size, &SymbolInfo::is_constant,
                                                      &SymbolInfo::is_managed);

template <>
inline constexpr auto fields<ModuleInfo> = std::tuple(&ModuleInfo::kernels, &ModuleInfo::symbols);

// Of the replies to the judge.

template <>
inline constexpr bool travels_whole<Counters> = true;

template <>
inline constexpr auto fields<SourcePosition> = std::tuple(&SourcePosition::file,
                                                          &SourcePosition::line,
                                                          &SourcePosition::inlined);

template <>
inline constexpr auto fields<Finding> = std::tuple(&Finding::kind, &Finding::kernel,
                                                   &Finding::where, &Finding::other,
                                                   &Finding::message, &Finding::occurrences);

template <>
inline constexpr auto fields<AccessPattern> = std::tuple(&AccessPattern::shape,
                                                         &AccessPattern::distance,
                                                         &AccessPattern::requests,
                                                         &AccessPattern::cost,
                                                         &AccessPattern::ideal);

template <>
inline constexpr auto fields<LineAccess> = std::tuple(&LineAccess::kind, &LineAccess::bytes,
                                                      &LineAccess::patterns);

template <>
inline constexpr auto fields<LineCounters> = std::tuple(&LineCounters::file, &LineCounters::line,
                                                        &LineCounters::counters,
                                                        &LineCounters::accesses);

template <>
inline constexpr auto fields<Bound> = std::tuple(&Bound::part, &Bound::seconds);

template <>
inline constexpr auto fields<AtomicQueueLengths> = std::tuple(&AtomicQueueLengths::sector,
                                                              &AtomicQueueLengths::float_sector,
                                                              &AtomicQueueLengths::piece,
                                                              &AtomicQueueLengths::all,
                                                              &AtomicQueueLengths::pieces);

template <>
inline constexpr auto fields<LaunchRecord> = std::tuple(
    &LaunchRecord::kernel, &LaunchRecord::grid, &LaunchRecord::block, &LaunchRecord::shared_bytes,
    &LaunchRecord::registers, &LaunchRecord::registers_estimated, &LaunchRecord::occupancy,
    &LaunchRecord::occupancy_limiter, &LaunchRecord::resident_blocks,
    &LaunchRecord::block_latency_cycles, &LaunchRecord::latency_spread, &LaunchRecord::imbalance,
    &LaunchRecord::atomic_queues, &LaunchRecord::start, &LaunchRecord::seconds,
    &LaunchRecord::seconds_with_children, &LaunchRecord::parent, &LaunchRecord::limiter,
    &LaunchRecord::bounds, &LaunchRecord::counters, &LaunchRecord::lines, &LaunchRecord::findings,
    &LaunchRecord::launches);

template <>
inline constexpr auto fields<Printed> = std::tuple(&Printed::beginning, &Printed::bytes);

template <>
inline constexpr auto fields<Activity> = std::tuple(
    &Activity::seconds, &Activity::launches, &Activity::host_to_device_bytes,
    &Activity::device_to_host_bytes, &Activity::device_to_device_bytes, &Activity::findings,
    &Activity::refusals, &Activity::notes, &Activity::printed, &Activity::error);

template <>
inline constexpr auto fields<RegionState> = std::tuple(&RegionState::before, &RegionState::after,
                                                       &RegionState::changed);

template <>
inline constexpr auto fields<CallReport> = std::tuple(&CallReport::activity, &CallReport::regions);

}  // namespace gridstride::sim::wire
