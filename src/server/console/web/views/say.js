// The field for messages to the agent, with a hint that says when the agent will read them.

import { h } from "../dom.js";
import { count } from "../words.js";

export class Say {
  constructor(state, session) {
    this.field = h("textarea", { rows: 2, "aria-label": "Message to the agent", "aria-describedby": "say-hint" });
    this.button = h("button", {}, "Send");
    this.hint = h("p", { class: "hint", id: "say-hint" });
    const submit = (event) => {
      event.preventDefault();
      const text = this.field.value.trim();
      if (text && state.send({ type: "prompt", resume_session_id: session, text })) this.field.value = "";
    };
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
    });
    this.element = h("div", { class: "say" }, h("form", { onsubmit: submit }, this.field, this.button), this.hint);
  }

  // Says when a message that is sent now will be read. `taken`: another run is running in the
  // conversation.
  show({ stopped, paused, view: { queued } }, taken) {
    this.field.placeholder = stopped ? "Message to the agent…" : "Message to the agent, which reads it before the next step…";
    const pending = queued.length > 0 && `${count(queued.length, "prompt")} queued for the next step.`;
    this.hint.textContent = taken
      ? "Another run is running in this conversation: messages are queued for its next step."
      : paused ? "The run is paused: messages are queued until it resumes."
      : stopped ? "The run has ended: the agent answers at once, outside of the run."
      : pending || "While a run is running, messages are queued until the current step is done.";
  }

  // Sets the hint where no run is shown.
  setHint(words) {
    this.field.placeholder = "Message to the agent…";
    this.hint.textContent = words;
  }

  allow(allowed) {
    this.button.disabled = !allowed;
  }
}
