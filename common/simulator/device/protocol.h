// What is said on the device process's two sockets: the list of all requests.
//
// Every message has a wire::Header. A request carries the number of its row below and the arguments
// of the function beside it; it gets exactly one reply, in order. How they are packed follows from
// the function (request.h), so a new request is a row here, a function of Device, and its line in
// RemoteDevice. A request on the wrong socket is malformed, and a malformed request ends its
// connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "common/simulator/device/device.h"
#include "common/simulator/device/fields.h"
#include "common/simulator/device/packing.h"
#include "common/simulator/device/request.h"

namespace gridstride::sim::wire {

// clang-format off: one row a request
using ClientRequests =
    RequestList<Request<1, &Device::properties>, Request<16, &Device::load_module>,
                Request<17, &Device::allocate_for>, Request<18, &Device::allocate_shared_for>,
                Request<19, &Device::release>, Request<20, &Device::release_async>,
                Request<21, &Device::memory>, Request<22, &Device::is_device_address>,
                Request<23, &Device::note_maker>, Request<24, &Device::write>,
                Request<25, &Device::read>, Request<26, &Device::copy>, Request<27, &Device::fill>,
                Request<28, &Device::create_array>, Request<29, &Device::destroy_array>,
                Request<30, &Device::create_texture>, Request<31, &Device::destroy_texture>,
                Request<32, &Device::create_surface>, Request<33, &Device::destroy_surface>,
                Request<34, &Device::write_region>, Request<35, &Device::read_region>,
                Request<36, &Device::copy_region>, Request<37, &Device::fill_region>,
                Request<38, &Device::launch>, Request<39, &Device::check_launch>,
                Request<40, &Device::resident_blocks>, Request<41, &Device::allow_dynamic_shared>,
                Request<42, &Device::create_condition>, Request<43, &Device::condition>,
                Request<44, &Device::set_condition>, Request<45, &Device::set_limit>,
                Request<46, &Device::create_stream>, Request<47, &Device::destroy_stream>,
                Request<48, &Device::create_event>, Request<49, &Device::destroy_event>,
                Request<50, &Device::record>, Request<51, &Device::wait>,
                Request<52, &Device::elapsed>, Request<53, &Device::synchronize>,
                Request<54, &Device::take_printed>, Request<55, &Device::forget>,
                Request<56, &Device::set_role>>;

using JudgeRequests =
    RequestList<Request<1, &Device::properties>, Request<64, &Device::begin_call>,
                Request<65, &Device::end_call>, Request<66, &Device::program_thought>>;
// clang-format on

static_assert(ClientRequests::has_each_once() && JudgeRequests::has_each_once(),
              "A number or a function stands twice in the list of one socket.");

/// In the place of a request's number.
enum class Reply : std::uint16_t {
  ok = 128,  ///< the result
  failed,    ///< Failure
};

struct Failure {
  std::int32_t code = 0;  ///< cudaError_t
  bool sticky = false;
  std::string message;
};
template <>
inline constexpr auto fields<Failure> = std::tuple(&Failure::code, &Failure::sticky,
                                                   &Failure::message);

/// No answer to the judge is longer.
constexpr std::size_t max_activity_bytes = std::size_t{256} << 20;

}  // namespace gridstride::sim::wire
