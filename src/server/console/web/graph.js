// A recipe as a graph: steps, outcomes on the arrows, exits in the colours of their statuses.

import { Graph, layout } from "./vendor/dagre.js";
import { h, svg } from "./dom.js";
import { icon } from "./icons.js";
import { dollars, took } from "./words.js";

const LABEL = { letter: 6.6, height: 18, room: 10 };
const STEP = { letter: 8, height: 36, room: 30 };
const EXIT = { letter: 6.9, height: 30, room: 46 };

// The distance that is kept between the current step and the frame's edge.
const MARGIN_PX = 24;

// The smallest scale at which the graph's texts can be read: the smallest font has 12 px.
const MIN_READABLE_SCALE = 0.75;

const MAX_SCALE = 3;

// The name of the edge that leads away from a full step. No outcome has a space in its name.
const FULL = "when full";

// The edges that lead away from a step once a limit is reached: their names, which stand in the
// place of an outcome, where they lead, and their labels.
const edgesOfLimits = ({ limits = {}, run }) => [
  ["time limit", limits.after_time, `after ${took(1000 * (limits.time_s ?? run?.time_s ?? 0))}`],
  ["retry limit", limits.after_retries, `after ${limits.retries} retries`],
  ["budget limit", limits.after_budget, `after ${dollars(limits.budget_usd ?? 0)}`],
  [FULL, limits.when_full, `visited ×${limits.max_visits}`],
].filter(([, next]) => next);

// How much a press of a zoom button changes the scale.
const ZOOM_STEP = 1.25;

// The graph of a recipe. `show(followed)` highlights what a run has done so far. At first the whole
// graph is shown, or only the part around the current step if the whole would be unreadable.
export class Picture {
  #nodes = new Map();
  #edges = new Map();
  #highlighted = null;
  #scale = 1;
  // `auto`, `fit`, or `free` once the user has zoomed.
  #mode = "auto";

  // With `open`, visited steps are links, which call it with the step's name.
  constructor(outline, open = null) {
    this.open = open;
    const graph = arranged(outline);
    const [width, height] = [graph.graph().width, graph.graph().height].map(Math.ceil);
    this.size = { width, height };
    this.first = outline.initial;
    this.steps = outline.steps;
    this.svg = svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, role: open ? "group" : "img", "aria-label": described(outline) },
      svg("defs", {}, arrow("arrow"), arrow("arrow-taken")));
    for (const edge of graph.edges()) this.#drawEdge(edge, graph.edge(edge));
    for (const name of graph.nodes()) this.#drawNode(name, graph.node(name));
    // Where the graph is larger than its frame, the frame scrolls, with the keyboard too.
    this.frame = h("div", {
      class: "frame", tabindex: "0", role: "group", "aria-label": "Graph", "aria-keyshortcuts": "+ - 0",
      onkeydown: (event) => this.#key(event), onwheel: (event) => this.#wheel(event),
    }, this.svg);
    const button = (label, words, act) => h("button", { "aria-label": label, title: label, onclick: act }, words);
    this.bar = h("div", { class: "zoom" },
      h("h2", {}, "Graph"),
      button("Zoom out", "−", () => this.#zoom(1 / ZOOM_STEP)),
      button("Zoom in", "+", () => this.#zoom(ZOOM_STEP)),
      button("Show the whole graph", "Fit", () => this.#fit()));
    // Has the maximum height of the frame, to measure it.
    this.limit = h("div", { class: "frame-limit" });
    this.element = h("div", { class: "picture" }, this.bar, this.limit, this.frame);
    this.#resize(1);
    // The size of neither depends on the graph, so resizing the graph does not call this again.
    const observer = new ResizeObserver(() => this.#arrange());
    for (const one of [this.bar, this.limit]) observer.observe(one);
  }

  // The scale at which the whole graph is in the frame.
  get #fitting() {
    return Math.min(1, this.bar.clientWidth / this.size.width, this.limit.offsetHeight / this.size.height);
  }

  // Chooses the scale, unless the user has zoomed.
  #arrange() {
    if (!this.bar.clientWidth || this.#mode === "free") return;
    const fitting = this.#fitting;
    this.#resize(this.#mode === "fit" ? fitting : Math.max(fitting, MIN_READABLE_SCALE));
    this.#bringIntoView(this.#highlighted ?? this.first);
  }

  #resize(scale) {
    this.#scale = scale;
    // Rounded up it would need a scrollbar.
    for (const [name, length] of Object.entries(this.size)) this.svg.style.setProperty(name, `${Math.floor(length * scale)}px`);
  }

  #fit() {
    this.#mode = "fit";
    this.#arrange();
  }

  // Changes the scale around a point of the window, by default the frame's centre.
  #zoom(factor, point) {
    const { left, top, width, height } = this.frame.getBoundingClientRect();
    const [x, y] = point ?? [left + width / 2, top + height / 2];
    const before = this.svg.getBoundingClientRect();
    this.#mode = "free";
    this.#resize(Math.min(MAX_SCALE, Math.max(this.#fitting, this.#scale * factor)));
    const after = this.svg.getBoundingClientRect();
    const moved = (start, now, was, size, wasSize) => now + ((start - was) / wasSize) * size - start;
    this.frame.scrollBy(moved(x, after.left, before.left, after.width, before.width), moved(y, after.top, before.top, after.height, before.height));
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { "+": () => this.#zoom(ZOOM_STEP), "=": () => this.#zoom(ZOOM_STEP), "-": () => this.#zoom(1 / ZOOM_STEP), 0: () => this.#fit() }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // Browsers report a pinch on a touchpad as a wheel event with Ctrl.
  #wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.#zoom(Math.exp(-event.deltaY / 300), [event.clientX, event.clientY]);
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
    group.addEventListener("click", () => this.#follow(name));
    group.addEventListener("keydown", ({ key }) => key === "Enter" && this.#follow(name));
    this.svg.append(group);
  }

  #follow(name) {
    if (this.#nodes.get(name).group.getAttribute("role") === "link") this.open(name);
  }

  // A step that was never visited is not a link.
  #link(group, name, count) {
    const link = this.open && count > 0;
    const label = `${name}, visited ${count === 1 ? "once" : `${count} times`}: show its messages`;
    for (const [attribute, value] of Object.entries({ role: "link", tabindex: "0", "aria-label": label })) {
      if (link) group.setAttribute(attribute, value);
      else group.removeAttribute(attribute);
    }
  }

  #drawEdge({ v: from, name }, { points, label, x, y, width, description, dashed }) {
    const line = svg("path", { class: dashed ? "line dashed" : "line", d: path(points), "marker-end": "url(#arrow)" });
    const box = svg("rect", { class: "label-box", x: x - width / 2, y: y - LABEL.height / 2, width, height: LABEL.height, rx: 4 });
    const title = description && svg("title", {}, description);
    const group = svg("g", { class: "edge" }, line, box, svg("text", { class: "label", x, y }, label), title);
    this.#edges.set(`${from} ${name}`, { group, line });
    this.svg.append(group);
  }

  // Highlights the current step, counts the visits and marks the path that was taken.
  show({ view, stopped, current }) {
    const { visits: all, transitions, end, status } = view;
    const currentStep = stopped ? null : current?.step;
    const reached = end?.outcome && `${end.step} ${end.outcome} →`;
    // Where no exit of the recipe was reached, it stopped at a step.
    const last = end && !this.#nodes.has(reached) ? end.step : null;
    for (const [name, { group, kind, visits, node }] of this.#nodes) {
      const count = all.filter(({ step }) => step === name).length;
      const marks = [
        kind,
        count > 0 && "visited",
        name === currentStep && "current",
        name === reached && "reached",
        name === last && `last ${status.name}`,
      ];
      group.setAttribute("class", marks.filter(Boolean).join(" "));
      this.#link(group, name, count);
      if (visits.textContent !== (count > 1 ? `×${count}` : "")) visits.replaceChildren(...badge(node, count));
    }
    for (const { from, outcome, detour } of transitions) {
      for (const name of [`${from} ${outcome}`, ...this.#detour(from, outcome, detour)]) {
        const edge = this.#edges.get(name);
        edge?.group.classList.add("taken");
        edge?.line.setAttribute("marker-end", "url(#arrow-taken)");
      }
    }
    const highlighted = currentStep ?? (this.#nodes.has(reached) ? reached : end?.step);
    if (highlighted !== this.#highlighted) this.#bringIntoView(highlighted);
    this.#highlighted = highlighted;
  }

  // The edges away from full steps that a run took before it entered another one instead.
  #detour(from, outcome, to) {
    const step = (name) => this.steps.find((step) => step.name === name);
    const edges = [];
    const limit = edgesOfLimits(step(from) ?? {}).find(([name]) => name === outcome)?.[1];
    let at = (limit ?? step(from)?.outcomes.find(({ name }) => name === outcome)?.next)?.step;
    while (to && at && at !== to && edges.length < this.steps.length) {
      edges.push(`${at} ${FULL}`);
      at = step(at)?.limits?.when_full?.step;
    }
    return edges;
  }

  // Scrolls the frame, not the page.
  #bringIntoView(name) {
    const node = this.#nodes.get(name)?.group;
    if (!this.frame.isConnected || !node) return;
    const [inner, outer] = [node.getBoundingClientRect(), this.frame.getBoundingClientRect()];
    const shift = (from, to, low, high) => (from < low + MARGIN_PX ? from - low - MARGIN_PX : to > high - MARGIN_PX ? to - high + MARGIN_PX : 0);
    this.frame.scrollBy(shift(inner.left, inner.right, outer.left, outer.right), shift(inner.top, inner.bottom, outer.top, outer.bottom));
  }
}

// Lays out the graph, without the implied `other` of every step, which would only hide the rest.
function arranged(outline) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 30, edgesep: 14, marginx: 14, marginy: 14 });
  for (const step of outline.steps) graph.setNode(step.name, sized(step.name, STEP, { description: step.description }));
  for (const step of outline.steps) {
    for (const outcome of step.outcomes.filter((outcome) => !implied(outline, outcome))) {
      const target = outcome.next.step ?? `${step.name} ${outcome.name} →`;
      const { exit, restart } = outcome.next;
      if (exit) graph.setNode(target, sized(exit.code, EXIT, { exit, description: exit.message }));
      if (restart) graph.setNode(target, sized(restart, EXIT, { restart, description: `Continues with ${restart} in a new session` }));
      graph.setEdge(step.name, target, { ...sized(outcome.name, LABEL, { description: outcome.description }), labelpos: "c" }, outcome.name);
    }
    // Where a run goes that has reached a limit of the step.
    for (const [name, next, label] of edgesOfLimits(step)) {
      const target = next.step ?? `${step.name} ${name} →`;
      if (next.exit) graph.setNode(target, sized(next.exit.code, EXIT, { exit: next.exit, description: next.exit.message }));
      graph.setEdge(step.name, target, { ...sized(label, LABEL), labelpos: "c", dashed: true }, name);
    }
  }
  layout(graph);
  return graph;
}

// Whether the outcome comes from `exit_on_other`, which gives it to every step, and not from the
// author.
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

// The graph as text, for screen readers.
function described({ label, steps }) {
  const leads = ({ exit, restart, step }) => (exit ? `ends with ${exit.code}` : restart ? `restarts ${restart}` : `leads to ${step}`);
  const limited = (step) => edgesOfLimits(step).map(([, next, label]) => `, ${label} it ${leads(next)}`).join("");
  const sentences = steps.map((step) => `${step.name}: ${step.outcomes.map(({ name, next }) => `${name} ${leads(next)}`).join(", ")}${limited(step)}`);
  return `The steps of ${label}. ${sentences.join(". ")}`;
}
