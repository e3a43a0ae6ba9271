// The field to say something to the agent, and what still waits to be heard.

import { fill, h } from "../dom.js";

export class Say {
  constructor(state, session) {
    this.waiting = h("ul", { class: "waiting", "aria-label": "Waits for the agent", "aria-live": "polite" });
    this.field = h("textarea", { rows: 2, "aria-label": "Say something to the agent", "aria-describedby": "say-hint" });
    this.button = h("button", {}, "Send");
    this.hint = h("p", { class: "hint", id: "say-hint" });
    const submit = (event) => {
      event.preventDefault();
      const text = this.field.value.trim();
      if (text && state.say({ type: "prompt", resume_session_id: session, text })) this.field.value = "";
    };
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
    });
    this.element = h("div", { class: "say" }, this.waiting, h("form", { onsubmit: submit }, this.field, this.button), this.hint);
  }

  // Shows what waits in a run, and what becomes of words that are said now.
  show(story) {
    // Read out only where something is new.
    const waiting = story.waiting.map(({ prompt }) => prompt).join();
    const row = ({ text }) => h("li", {}, h("span", { class: "tag" }, "waits for the next step"), " ", text);
    if (waiting !== this.shown) fill(this.waiting, story.waiting.map(row));
    this.shown = waiting;
    this.field.placeholder = story.stopped ? "Say something to the agent…" : "Say something; the agent hears it before the next step…";
    this.hint.textContent = story.stopped
      ? "The run is over: this is answered at once, outside of it."
      : "While a run goes on, words wait until the present step is done.";
  }

  allow(allowed) {
    this.button.disabled = !allowed;
  }
}
