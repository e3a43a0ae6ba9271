// The field to say something to the agent, and when it will be heard.

import { h } from "../dom.js";
import { count } from "../words.js";

export class Say {
  constructor(state, session) {
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
    this.element = h("div", { class: "say" }, h("form", { onsubmit: submit }, this.field, this.button), this.hint);
  }

  // Says what becomes of words that are said now. `taken` says whether the conversation is another run's by now.
  show({ stopped, paused, view: { queued } }, taken) {
    this.field.placeholder = stopped ? "Say something to the agent…" : "Say something; the agent hears it before the next step…";
    const waits = queued.length > 0 && `${count(queued.length, "prompt")} ${queued.length === 1 ? "waits" : "wait"} for the next step.`;
    this.hint.textContent = taken
      ? "Another run goes on in this conversation: words wait for its next step."
      : paused ? "The run is paused: words wait until it goes on."
      : stopped ? "The run is over: this is answered at once, outside of it."
      : waits || "While a run goes on, words wait until the present step is done.";
  }

  // The same where there is no run to speak of.
  tell(words) {
    this.field.placeholder = "Say something to the agent…";
    this.hint.textContent = words;
  }

  allow(allowed) {
    this.button.disabled = !allowed;
  }
}
