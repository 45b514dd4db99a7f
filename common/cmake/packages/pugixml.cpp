// What the course uses of pugixml.
#include <cstddef>
#include <pugixml.hpp>
#include <sstream>
#include <string>

std::string run(const std::string& text) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  pugi::xml_node tests = document.append_child("tests");
  tests.append_attribute("count") = std::size_t{1};
  tests.append_child("test").append_child(pugi::node_pcdata).set_value(text.c_str());
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  if (!document.load_string(out.str().c_str())) return "";
  return document.child("tests").child("test").text().get();
}
