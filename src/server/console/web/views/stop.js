// The button that stops what an agent does in a session, and withdraws what is queued there.

import { h } from "../dom.js";

// When the button is enabled again if the server does not answer.
const ANSWER_TIMEOUT_MS = 10_000;

export class Stop {
  #line = null;
  #name = "";
  // The work whose stop is pending: pressed twice, the button would send the request twice.
  #pressed = null;

  constructor(state) {
    this.state = state;
    this.button = h("button", { class: "danger", onclick: () => this.#press() }, "Stop");
  }

  get pressed() {
    return this.#pressed !== null;
  }

  // Sets the work that the button stops. `name` describes it to screen readers.
  show(line, name) {
    this.#line = line;
    this.#name = name;
    if (this.#pressed !== key(line)) this.#pressed = null;
    this.allow();
  }

  // Without a connection nothing can be stopped.
  allow() {
    const word = this.pressed ? "Stopping…" : "Stop";
    this.button.disabled = this.pressed || this.state.connectionState !== "on";
    if (this.button.textContent !== word) this.button.textContent = word;
    this.button.ariaLabel = `${word} ${this.#name}`;
  }

  // The request is no longer pending, so the button can be pressed again.
  answered() {
    clearTimeout(this.unanswered);
    this.#pressed = null;
    this.allow();
  }

  #press() {
    const { session_id: session, run, chat } = this.#line;
    // A turn outside of the run does not end with the run.
    const type = run && !chat ? "exit_recipe" : "kill_session";
    if (!this.state.send({ type, session_id: session })) return;
    this.#pressed = key(this.#line);
    this.unanswered = setTimeout(() => this.answered(), ANSWER_TIMEOUT_MS);
    this.allow();
  }
}

// Distinguishes work from later work in the same session.
const key = ({ run, chat, since }) => `${chat ? "chat" : run.run_id} ${since}`;
