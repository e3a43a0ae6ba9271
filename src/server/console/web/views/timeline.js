// What happened in a run, visit by visit. A row is changed where something is new, and otherwise left alone.

import { fill, h } from "../dom.js";
import { icon } from "../icons.js";
import { spent } from "../story.js";
import { count, look, sofar, took } from "../words.js";

export class Timeline {
  #rows = [];

  constructor() {
    this.element = h("ol", { class: "timeline", "aria-label": "What happened" });
  }

  // Shows the visits of a story, the present one last.
  show(story, now = Date.now()) {
    story.visits.forEach((visit, index) => {
      this.#rows[index] ??= this.#row(visit);
      const last = index === story.visits.length - 1;
      this.#rows[index](visit, last ? story : null, now);
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
    return (visit, story, now) => {
      const goesOn = visit.ended === null && story !== null && !story.stopped;
      const passed = goesOn ? sofar(spent(visit, now)) : took(spent(visit, visit.began));
      if (time.textContent !== passed) time.textContent = passed;
      const state = JSON.stringify([goesOn, visit.outcome, visit.retries, visit.remarks, story?.ending?.reason]);
      if (state === drawn) return;
      drawn = state;
      row.className = goesOn ? "present" : "past";
      if (goesOn) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
      fill(sign, icon(goesOn ? "going" : story?.stopped ? look(story.ending).name : "met"));
      fill(outcome, visit.outcome ? [h("span", { "aria-hidden": "true" }, "→ "), visit.outcome] : goesOn ? "…" : "stopped");
      fill(retries, visit.retries > 0 && `asked again ${visit.retries === 1 ? "once" : count(visit.retries, "time")}`);
      fill(remarks, visit.remarks.map((words) => h("li", {}, words)));
      remarks.hidden = visit.remarks.length === 0;
    };
  }
}
