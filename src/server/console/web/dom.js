// Makes elements. Text is only ever set as text, so that no input can become markup.

const SVG = "http://www.w3.org/2000/svg";

// An element with attributes and children. Children are nodes or texts; `null` and `false` are left
// out.
export function h(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

// The same for SVG.
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

// A text with its names and commands, which are in backticks, as code.
export function marked(words) {
  const parts = words.split("`");
  // An agent's words may have a backtick that stands alone.
  if (parts.length % 2 === 0) return words;
  return parts.map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

// Replaces the children of an element.
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// The same, but a link that has the focus keeps it.
export function refill(element, ...children) {
  const held = element.contains(document.activeElement) && document.activeElement.getAttribute("href");
  fill(element, ...children);
  if (held) element.querySelector(`a[href="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
}
