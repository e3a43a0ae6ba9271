// The runs that are shown. Each is read once. From then on the server pushes what every event changes in it, and a run is read again
// only where a push may be missing: after a reconnect, or where one does not follow on the last event that is known.

import { NotAllowed, NotThere } from "./api.js";
import { Followed } from "./followed.js";

// How long to wait until a run that could not be read is tried again, in milliseconds.
const RETRY_AFTER = 2_000;

export class Following {
  #runs = new Map();

  constructor(state) {
    this.state = state;
  }

  // Follows a run, and gives it back once it was read. It is known from the beginning: what is pushed meanwhile counts too. A page that
  // goes back and forth follows one that is not left yet, and shares it.
  async follow(id) {
    const followed = this.#runs.get(id) ?? new Followed(id);
    this.#runs.set(id, followed);
    followed.followers += 1;
    if (!followed.view && !followed.reading) this.#read(followed);
    if (!followed.view) await followed.look;
    if (followed.view) return followed;
    this.leave(id);
    throw followed.problem;
  }

  // Follows it no longer. Gives back its session, if that has no other run that is shown.
  leave(id) {
    const followed = this.#runs.get(id);
    if (!followed || --followed.followers > 0) return null;
    clearTimeout(followed.retry);
    this.#runs.delete(id);
    const session = followed.run?.session_id ?? null;
    return [...this.#runs.values()].some(({ run }) => run?.session_id === session) ? null : session;
  }

  // Takes in what the server pushes.
  hear({ run_id: id, changed }) {
    const followed = this.#runs.get(id);
    if (!followed) return;
    if (followed.push(changed)) this.state.runChanged(followed);
    else if (!followed.reading) this.#read(followed);
  }

  // Takes in what a command of a run prints. It is drawn with the next tick: there may be many lines.
  hearOutput({ run_id: id, line }) {
    const followed = this.#runs.get(id);
    if (followed) followed.output = line;
  }

  // Reads all of them again, each from its last known event: what was pushed may have been missed.
  catchUp() {
    for (const followed of this.#runs.values()) this.#read(followed);
  }

  // Reads what is new in a run. One reading at a time: whatever asks for it meanwhile is served by one more.
  async #read(followed) {
    followed.again = true;
    if (followed.reading) return;
    followed.reading = true;
    while (followed.again) {
      followed.again = false;
      followed.look = this.#look(followed);
      await followed.look;
    }
    followed.reading = false;
  }

  async #look(followed) {
    followed.expect();
    try {
      const isWhole = followed.read(await this.state.api.run(followed.id, followed.seq));
      followed.again ||= !isWhole;
    } catch (error) {
      this.#unread(followed, error);
    }
    if (followed.view) this.state.runChanged(followed);
  }

  // Without a connection all is read again when it is back. With one, nothing may happen that would say when to look again.
  #unread(followed, error) {
    followed.problem = error;
    if (error instanceof NotAllowed) this.state.connection.refuse();
    if (error instanceof NotAllowed || error instanceof NotThere) return;
    clearTimeout(followed.retry);
    const again = () => this.#runs.get(followed.id) === followed && this.state.connectionState === "on" && this.#read(followed);
    followed.retry = setTimeout(again, RETRY_AFTER);
  }
}
