// What a user asks to see: names, elements, members, and what they come to.
#pragma once

#include <stdexcept>
#include <string>

#include "common/simulator/debugger/inspector.h"

namespace gridstride::sim {

/// What was asked for cannot be shown, in words.
class DebugError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `text` is a name, a number, name[index], value.member, pointer->member, *pointer, and these with the
/// operators of C that change nothing. Without a frame there are no parameters and locals. Throws DebugError
/// with what there is.
Value evaluate(const std::string& text, const Inspector& inspector, const StackFrame* frame,
               const Moment& moment);

}  // namespace gridstride::sim
