// What agents work on: read anew whenever something was heard after which it may be otherwise.

import { NotAllowed } from "./api.js";

// How long to wait until a list that could not be read is tried again, in milliseconds.
const RETRY_AFTER = 2_000;

export class WorkWatch {
  // One look at a time: whoever connects is told of every run of the last day, one by one.
  #looking = false;
  #again = false;
  #left = false;
  #retry = null;

  // Gives every list that is read to `show`, until it is left.
  constructor(state, show) {
    Object.assign(this, { state, show });
    this.hear = ({ detail: { what } }) => what === "work" && this.look();
    state.addEventListener("change", this.hear);
    // Before there is a connection nobody knows whether the key is right; as soon as there is one, there is work to look at.
    if (state.connectionState === "on") this.look();
  }

  leave() {
    this.#left = true;
    clearTimeout(this.#retry);
    this.state.removeEventListener("change", this.hear);
  }

  async look() {
    this.#again = this.#looking;
    if (this.#looking || this.#left) return;
    this.#looking = true;
    clearTimeout(this.#retry);
    const found = await this.state.api.work().catch((error) => error);
    this.#looking = false;
    if (this.#left) return;
    if (!(found instanceof Error)) this.show(found);
    else if (found instanceof NotAllowed) this.state.connection.refuse();
    // Without a connection it is read when that is back. With one, nothing may happen that would say when to look again.
    else this.#retry = setTimeout(() => this.state.connectionState === "on" && this.look(), RETRY_AFTER);
    if (this.#again) this.look();
  }
}
