// What agents are working on, read again when it may have changed.

import { Unauthorized } from "./api.js";

// How long to wait before a list that could not be read is read again.
const RETRY_DELAY_MS = 2_000;

export class WorkWatch {
  // One request at a time: on connecting, the server reports every run of the last day, one by one.
  #reading = false;
  #again = false;
  #left = false;
  #retry = null;

  // Calls `show` with every list that is read, until `leave` is called.
  constructor(state, show) {
    Object.assign(this, { state, show });
    this.onChange = ({ detail: { what } }) => what === "work" && this.read();
    state.addEventListener("change", this.onChange);
    // Without a connection the key may be wrong. Connecting counts as a change of work, so the list
    // is read then.
    if (state.connectionState === "on") this.read();
  }

  leave() {
    this.#left = true;
    clearTimeout(this.#retry);
    this.state.removeEventListener("change", this.onChange);
  }

  async read() {
    this.#again = this.#reading;
    if (this.#reading || this.#left) return;
    this.#reading = true;
    clearTimeout(this.#retry);
    const found = await this.state.api.work().catch((error) => error);
    this.#reading = false;
    if (this.#left) return;
    if (!(found instanceof Error)) this.show(found);
    else if (found instanceof Unauthorized) this.state.connection.refuse();
    // Without a connection, a reconnect reads the list again. With one, there may be no further
    // message that does, so a timer does.
    else this.#retry = setTimeout(() => this.state.connectionState === "on" && this.read(), RETRY_DELAY_MS);
    if (this.#again) this.read();
  }
}
