// What happened in a run, visit by visit. A row is changed where something is new, and otherwise left alone.

import { fill, h } from "../dom.js";
import { icon } from "../icons.js";
import { spent } from "../followed.js";
import { count, sofar, took } from "../words.js";

export class Timeline {
  #rows = [];

  constructor() {
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

  // A new row, and what brings it up to date.
  #row({ number, step }) {
    const part = (name, ...children) => h("span", { class: name }, ...children);
    const [sign, outcome, retries, time] = ["sign", "outcome", "retries", "took"].map((name) => part(name));
    const remarks = h("ul", { class: "remarks" });
    const row = h("li", {}, sign, part("number", number), part("step", step), outcome, retries, time, remarks);
    this.element.append(row);
    let drawn = null;
    return (visit, status, stopped, now) => {
      const goesOn = visit.ended === null && status !== null && !stopped;
      const passed = goesOn ? sofar(spent(visit, now)) : took(spent(visit, visit.began));
      if (time.textContent !== passed) time.textContent = passed;
      const state = JSON.stringify([goesOn, visit.outcome, visit.retries, visit.remarks, status?.name]);
      if (state === drawn) return;
      drawn = state;
      row.className = goesOn ? "present" : "past";
      if (goesOn) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
      fill(sign, icon(status?.name ?? "completed"));
      fill(outcome, visit.outcome ? [h("span", { "aria-hidden": "true" }, "→ "), visit.outcome] : goesOn ? "…" : "stopped");
      fill(retries, visit.retries > 0 && `asked again ${visit.retries === 1 ? "once" : count(visit.retries, "time")}`);
      fill(remarks, visit.remarks.map((words) => h("li", {}, words)));
      remarks.hidden = visit.remarks.length === 0;
    };
  }
}
