// What happened in a run, visit by visit. A row is redrawn only if it has changed.

import { fill, h } from "../dom.js";
import { icon } from "../icons.js";
import { spent } from "../followed.js";
import { count, sofar, took } from "../words.js";

export class Timeline {
  #rows = [];

  // Calls `open` with the visit whose row is pressed.
  constructor(open) {
    this.open = open;
    this.element = h("ol", { class: "timeline", "aria-label": "What happened" });
  }

  // Shows the visits of a run, the current one last.
  show({ view: { visits, status }, stopped }, now = Date.now()) {
    visits.forEach((visit, index) => {
      this.#rows[index] ??= this.#row(visit);
      const isLast = index === visits.length - 1;
      this.#rows[index](visit, isLast ? status : null, stopped, now);
    });
  }

  // Adds a row, and returns the function that updates it.
  #row({ number, step, began }) {
    const part = (name, ...children) => h("span", { class: name }, ...children);
    const [sign, outcome, retries, time] = ["sign", "outcome", "retries", "took"].map((name) => part(name));
    const remarks = h("ul", { class: "remarks" });
    const label = `Step ${number}, ${step}: show its messages`;
    // The button is for the keyboard. With a mouse the whole row can be clicked, except to select
    // its text.
    const name = h("button", { class: "step", "aria-label": label }, step);
    const selects = () => !getSelection().isCollapsed && getSelection().containsNode(row, true);
    const press = () => selects() || this.open({ number, began });
    const row = h("li", { onclick: press }, sign, part("number", number), name, outcome, retries, time, remarks);
    this.element.append(row);
    let drawn = null;
    return (visit, status, stopped, now) => {
      const running = visit.ended === null && status !== null && !stopped;
      const passed = running ? sofar(spent(visit, now)) : took(spent(visit, visit.began));
      if (time.textContent !== passed) time.textContent = passed;
      const state = JSON.stringify([running, visit.outcome, visit.retries, visit.remarks, status?.name]);
      if (state === drawn) return;
      drawn = state;
      row.className = running ? "current" : "past";
      if (running) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
      fill(sign, icon(status?.name ?? "completed"));
      fill(outcome, visit.outcome ? [h("span", { "aria-hidden": "true" }, "→ "), visit.outcome] : running ? "…" : "stopped");
      fill(retries, visit.retries > 0 && `asked again ${visit.retries === 1 ? "once" : count(visit.retries, "time")}`);
      fill(remarks, visit.remarks.map((words) => h("li", {}, words)));
      remarks.hidden = visit.remarks.length === 0;
    };
  }
}
