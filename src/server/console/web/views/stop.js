// The button that stops what an agent does in a session, and withdraws what is queued there.

import { h } from "../dom.js";

// After how long it can be pressed again although nothing came of it, in milliseconds.
const ANSWERED_IN = 10_000;

export class Stop {
  #line = null;
  #name = "";
  // What was to be stopped, until it is; pressed twice, it would be asked for twice.
  #pressed = null;

  constructor(state) {
    this.state = state;
    this.button = h("button", { class: "danger", onclick: () => this.#press() }, "Stop");
  }

  get pressed() {
    return this.#pressed !== null;
  }

  // Stops this work from now on. `name` says what that is to those who do not see where the button stands.
  show(line, name) {
    this.#line = line;
    this.#name = name;
    if (this.#pressed !== key(line)) this.#pressed = null;
    this.allow();
  }

  // Without a connection nothing can be asked for.
  allow() {
    const word = this.pressed ? "Stopping…" : "Stop";
    this.button.disabled = this.pressed || this.state.connectionState !== "on";
    if (this.button.textContent !== word) this.button.textContent = word;
    this.button.ariaLabel = `${word} ${this.#name}`;
  }

  // Whatever became of it, it can be pressed again.
  answered() {
    clearTimeout(this.unanswered);
    this.#pressed = null;
    this.allow();
  }

  #press() {
    const { session_id: session, run, chat } = this.#line;
    // A turn outside of the run does not end with it.
    const type = run && !chat ? "exit_recipe" : "kill_session";
    if (!this.state.say({ type, session_id: session })) return;
    this.#pressed = key(this.#line);
    this.unanswered = setTimeout(() => this.answered(), ANSWERED_IN);
    this.allow();
  }
}

// Tells work from what may follow it in the same session.
const key = ({ run, chat, since }) => `${chat ? "chat" : run.run_id} ${since}`;
