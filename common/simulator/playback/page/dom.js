// Elements of the page. Texts are set as text, so nothing in a recording can act.

/// make("td", {class: "now", title: "…", click: handler}, children…): strings become text.
const make = (tag, attributes = {}, ...children) => {
  const svg = ["svg", "path", "line", "rect", "text", "g", "circle", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) :
    document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};

const button = (text, label, click, more = {}) =>
  make("button", {type: "button", "aria-label": label, title: label, click, ...more}, text);

const css_color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/// Of a lane, from dark blue over grey to yellow: told apart with any kind of colour blindness (cividis).
const lane_colors = ["#00224e", "#1f386c", "#434e6c", "#5f636e", "#7c7b78", "#989277", "#b7ac70", "#d8c661",
  "#fee838"];
const lane_color = (lane, lanes = 32) => {
  const at = lane / Math.max(1, lanes - 1) * (lane_colors.length - 1);
  const low = Math.floor(at), high = Math.min(low + 1, lane_colors.length - 1);
  const part = (color, k) => parseInt(color.slice(1 + 2 * k, 3 + 2 * k), 16);
  const mixed = [0, 1, 2].map((k) => Math.round(part(lane_colors[low], k) * (1 - at + low) +
    part(lane_colors[high], k) * (at - low)));
  return {background: `rgb(${mixed.join(",")})`, ink: at < 4 ? "#fff" : "#000"};
};

/// Scrolls only the region that `element` stands in, and only when it is out of sight there.
const show_in = (region, element, margin = 30) => {
  const outer = region.getBoundingClientRect(), inner = element.getBoundingClientRect();
  if (inner.top < outer.top + margin || inner.bottom > outer.bottom - margin)
    region.scrollTop += inner.top - outer.top - outer.height / 3;
};
