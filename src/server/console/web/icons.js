// The icons of a run's status, by the server's status names. They are drawn, since not every font
// has such characters.

import { svg } from "./dom.js";

const SHAPES = {
  completed: ["M4 12.5l5 5L20 6.5"],
  waiting: ["M4 5h16v11h-9l-4 4v-4H4z", "M8.5 10.5h.01M12 10.5h.01M15.5 10.5h.01"],
  stopped: ["M6.5 6.5h11v11h-11z"],
  limited: ["M12 3.5L22 20.5H2z", "M12 10v4.5M12 17.5h.01"],
  failed: ["M5.5 5.5l13 13M18.5 5.5l-13 13"],
  paused: ["M8 5v14M16 5v14"],
  restart: ["M19.5 12a7.5 7.5 0 1 1-2.2-5.3", "M18 2.5v4.5h-4.5"],
  running: ["M7 4.5l12 7.5-12 7.5z"],
};

// An icon, hidden from screen readers: a text beside it has to say what it means.
export function icon(name, attributes = {}) {
  const shape = SHAPES[name].map((d) => svg("path", { d }));
  return svg("svg", { class: `icon ${name}`, viewBox: "0 0 24 24", "aria-hidden": "true", ...attributes }, shape);
}
