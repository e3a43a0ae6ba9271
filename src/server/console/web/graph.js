// A recipe as a picture: steps, outcomes on the arrows, exits in the colour of what they mean.

import { Graph, layout } from "./vendor/dagre.js";
import { h, svg } from "./dom.js";
import { icon } from "./icons.js";

const LABEL = { letter: 6.6, height: 18, room: 10 };
const STEP = { letter: 8, height: 36, room: 30 };
const EXIT = { letter: 6.9, height: 30, room: 46 };

// How far from the frame's edge the present step is kept, in pixels.
const ROOM = 24;

// The picture of a recipe. `show(followed)` lights what a run has done so far.
export class Picture {
  #nodes = new Map();
  #edges = new Map();
  #lit = null;

  constructor(outline) {
    const graph = arranged(outline);
    const [width, height] = [graph.graph().width, graph.graph().height].map(Math.ceil);
    this.svg = svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": described(outline) },
      svg("defs", {}, arrow("arrow"), arrow("arrow-taken")));
    this.svg.style.setProperty("--width", `${width}px`);
    for (const edge of graph.edges()) this.#drawEdge(edge, graph.edge(edge));
    for (const name of graph.nodes()) this.#drawNode(name, graph.node(name));
    // It can be larger than its place, and is then moved in it, also with the keyboard.
    this.frame = h("div", { class: "frame", tabindex: "0", role: "group", "aria-label": "Picture" }, this.svg);
  }

  #drawNode(name, node) {
    const { x, y, width, height, exit, restart } = node;
    const sign = exit ? exit.status.name : restart && "restart";
    const kind = `node ${sign ? `exit ${sign}` : "step"}`;
    const box = svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: sign ? height / 2 : 8 });
    const drawn = sign && icon(sign, { x: x - width / 2 + 11, y: y - 7, width: 14, height: 14 });
    const text = svg("text", { class: "name", x: sign ? x + 9 : x, y }, node.label);
    const visits = svg("g", { class: "visits" });
    const title = svg("title", {}, node.description);
    const group = svg("g", { class: kind, "data-category": exit?.category }, box, drawn, text, visits, title);
    this.#nodes.set(name, { group, kind, visits, node });
    this.svg.append(group);
  }

  #drawEdge({ v: from, name }, { points, label, x, y, width }) {
    const line = svg("path", { class: "line", d: path(points), "marker-end": "url(#arrow)" });
    const box = svg("rect", { class: "label-box", x: x - width / 2, y: y - LABEL.height / 2, width, height: LABEL.height, rx: 4 });
    const group = svg("g", { class: "edge" }, line, box, svg("text", { class: "label", x, y }, label));
    this.#edges.set(`${from} ${name}`, { group, line });
    this.svg.append(group);
  }

  // Lights the present step, counts the visits and marks the way that was taken.
  show({ view, stopped, current }) {
    const { visits: all, transitions, end, status } = view;
    const present = stopped ? null : current?.step;
    const reached = end?.outcome && `${end.step} ${end.outcome} →`;
    // Where no exit of the recipe was reached, it stopped at a step.
    const last = end && !this.#nodes.has(reached) ? end.step : null;
    for (const [name, { group, kind, visits, node }] of this.#nodes) {
      const count = all.filter(({ step }) => step === name).length;
      const marks = [
        kind,
        count > 0 && "visited",
        name === present && "present",
        name === reached && "reached",
        name === last && `last ${status.name}`,
      ];
      group.setAttribute("class", marks.filter(Boolean).join(" "));
      if (visits.textContent !== (count > 1 ? `×${count}` : "")) visits.replaceChildren(...badge(node, count));
    }
    for (const { from, outcome } of transitions) {
      const edge = this.#edges.get(`${from} ${outcome}`);
      edge?.group.classList.add("taken");
      edge?.line.setAttribute("marker-end", "url(#arrow-taken)");
    }
    const lit = present ?? (this.#nodes.has(reached) ? reached : end?.step);
    if (lit !== this.#lit) this.#bringIntoView(lit);
    this.#lit = lit;
  }

  // Moves the picture in its frame, not the page.
  #bringIntoView(name) {
    const node = this.#nodes.get(name)?.group;
    if (!this.frame.isConnected || !node) return;
    const [inner, outer] = [node.getBoundingClientRect(), this.frame.getBoundingClientRect()];
    const shift = (from, to, low, high) => (from < low + ROOM ? from - low - ROOM : to > high - ROOM ? to - high + ROOM : 0);
    this.frame.scrollBy(shift(inner.left, inner.right, outer.left, outer.right), shift(inner.top, inner.bottom, outer.top, outer.bottom));
  }
}

// Places for everything. The `other` that every step has would only hide the rest, and is left out.
function arranged(outline) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 30, edgesep: 14, marginx: 14, marginy: 14 });
  for (const step of outline.steps) graph.setNode(step.name, sized(step.name, STEP, { description: step.description }));
  for (const step of outline.steps) {
    for (const outcome of step.outcomes.filter((outcome) => !implied(outline, outcome))) {
      const target = outcome.next.step ?? `${step.name} ${outcome.name} →`;
      const { exit, restart } = outcome.next;
      if (exit) graph.setNode(target, sized(exit.code, EXIT, { exit, description: exit.message }));
      if (restart) graph.setNode(target, sized(restart, EXIT, { restart, description: `Goes on with ${restart}, in a fresh session` }));
      graph.setEdge(step.name, target, { ...sized(outcome.name, LABEL), labelpos: "c" }, outcome.name);
    }
  }
  layout(graph);
  return graph;
}

// Whether the outcome is the one that nobody wrote: every step has it where `exit_on_other` holds.
export function implied({ guardrails }, { name, next }) {
  return guardrails.exit_on_other && name === "other" && next.exit?.code === "user-provided-other";
}

function sized(label, { letter, height, room }, more) {
  return { label, width: label.length * letter + room, height, ...more };
}

function badge(node, count) {
  if (count < 2) return [];
  const [x, y] = [node.x + node.width / 2 - 2, node.y - node.height / 2 + 2];
  return [svg("rect", { x: x - 13, y: y - 9, width: 26, height: 18, rx: 9 }), svg("text", { x, y }, `×${count}`)];
}

function arrow(id) {
  const size = { viewBox: "0 0 8 8", markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse" };
  return svg("marker", { id, refX: 7, refY: 4, orient: "auto", ...size }, svg("path", { d: "M0,0 L8,4 L0,8 z" }));
}

// A smooth line through points.
function path([first, ...rest]) {
  let d = `M${first.x},${first.y}`;
  for (let index = 0; index < rest.length - 1; index += 1) {
    const [a, b] = [rest[index], rest[index + 1]];
    d += ` Q${a.x},${a.y} ${(a.x + b.x) / 2},${(a.y + b.y) / 2}`;
  }
  const last = rest.at(-1);
  return `${d} L${last.x},${last.y}`;
}

// The same in words, for those who do not see it.
function described({ label, steps }) {
  const leads = ({ exit, restart, step }) => (exit ? `ends with ${exit.code}` : restart ? `restarts ${restart}` : `leads to ${step}`);
  const told = steps.map(({ name, outcomes }) => `${name}: ${outcomes.map(({ name, next }) => `${name} ${leads(next)}`).join(", ")}`);
  return `The steps of ${label}. ${told.join(". ")}`;
}
