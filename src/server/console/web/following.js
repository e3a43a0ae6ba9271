// The runs that are shown. Each is read once. Then the server pushes what every event changes in
// it, and a run is read again only if a push may be missing: after a reconnect, or if a push does
// not follow the last known event.

import { NotFound, Unauthorized } from "./api.js";
import { Followed } from "./followed.js";

// How long to wait before a run that could not be read is read again.
const RETRY_DELAY_MS = 2_000;

export class Following {
  #runs = new Map();

  constructor(state) {
    this.state = state;
  }

  // Follows a run, and returns it once it was read. It is registered before that, so that pushes
  // during the reading are merged too. Views that follow the same run share it.
  async follow(id) {
    const followed = this.#runs.get(id) ?? new Followed(id);
    this.#runs.set(id, followed);
    followed.followers += 1;
    if (!followed.view && !followed.reading) this.#read(followed);
    if (!followed.view) await followed.lastReading;
    if (followed.view) return followed;
    this.leave(id);
    throw followed.problem;
  }

  // Stops following a run. Returns its session, unless another run that is shown is in it.
  leave(id) {
    const followed = this.#runs.get(id);
    if (!followed || --followed.followers > 0) return null;
    clearTimeout(followed.retry);
    this.#runs.delete(id);
    const session = followed.run?.session_id ?? null;
    return [...this.#runs.values()].some(({ run }) => run?.session_id === session) ? null : session;
  }

  // Merges what the server pushes.
  receive({ run_id: id, changed }) {
    const followed = this.#runs.get(id);
    if (!followed) return;
    if (followed.push(changed)) this.state.runChanged(followed);
    else if (!followed.reading) this.#read(followed);
  }

  // Keeps the last line that a command of a run printed. It is drawn with the next tick, since
  // there can be many lines.
  receiveOutput({ run_id: id, line }) {
    const followed = this.#runs.get(id);
    if (followed) followed.output = line;
  }

  // Reads all runs again, each from its last known event: pushes may have been missed.
  catchUp() {
    for (const followed of this.#runs.values()) this.#read(followed);
  }

  // Reads what is new in a run. There is one reading at a time; all requests during it are served
  // by one more.
  async #read(followed) {
    followed.again = true;
    if (followed.reading) return;
    followed.reading = true;
    while (followed.again) {
      followed.again = false;
      followed.lastReading = this.#readOnce(followed);
      await followed.lastReading;
    }
    followed.reading = false;
  }

  async #readOnce(followed) {
    followed.beginReading();
    try {
      const isWhole = followed.read(await this.state.api.run(followed.id, followed.seq));
      followed.again ||= !isWhole;
    } catch (error) {
      this.#readingFailed(followed, error);
    }
    if (followed.view) this.state.runChanged(followed);
  }

  // Without a connection, a reconnect reads all runs again. With one, there may be no further push
  // that causes a reading, so a timer does.
  #readingFailed(followed, error) {
    followed.problem = error;
    if (error instanceof Unauthorized) this.state.connection.refuse();
    if (error instanceof Unauthorized || error instanceof NotFound) return;
    clearTimeout(followed.retry);
    const again = () => this.#runs.get(followed.id) === followed && this.state.connectionState === "on" && this.#read(followed);
    followed.retry = setTimeout(again, RETRY_DELAY_MS);
  }
}
