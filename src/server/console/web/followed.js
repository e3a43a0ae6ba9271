// A run that is shown: the server's view of it, with later changes merged in. The server interprets
// the events; this file only merges.

// How long a visit has taken, in milliseconds.
export const spent = ({ began, ended, rested_ms: rested }, now) => (ended ?? now) - began - rested;

export class Followed {
  // How many parts of the page show it.
  followers = 0;
  // What stays the same in a run: its recipe, its session, where its agent works.
  run = null;
  // The server's view of it; `null` until it was read.
  view = null;
  // The last line of output of its command, while the command runs.
  output = "";
  // Pushes that do not follow the last known event; they are merged after the next reading.
  #ahead = [];

  constructor(id) {
    this.id = id;
  }

  // The last event that is known.
  get seq() {
    return this.view?.seq ?? 0;
  }

  // A reading begins. It will include everything that was pushed before it.
  beginReading() {
    this.#ahead = [];
  }

  // Merges a reading, and what was pushed meanwhile. Returns whether nothing is missing in between.
  read({ run, view }) {
    this.run = run;
    this.#merge(view);
    return this.#ahead.splice(0).every((changed) => this.push(changed));
  }

  // Merges what one event has changed. Returns `false` if earlier events have to be read first; the
  // push is then kept until they are.
  push(changed) {
    const follows = this.view !== null && changed.seq <= this.seq + 1;
    if (follows) this.#merge(changed);
    else this.#ahead.push(changed);
    return follows;
  }

  // Merges changes into the view. They cover everything since some known event, which need not be
  // the last one.
  #merge(changed) {
    const { seq = 0, visits: before = [], transitions: taken = [], end: known } = this.view ?? {};
    // A push can overtake an answer.
    if (changed.seq < seq) return;
    const visits = [...before];
    for (const visit of changed.visits) {
      const index = visits.findIndex(({ number }) => number === visit.number);
      visits[index < 0 ? visits.length : index] = visit;
    }
    const transitions = [...taken, ...changed.transitions.filter((one) => one.seq > seq)];
    // An end that is known stays the same object, so that it is not drawn again.
    const end = changed.end?.seq === known?.seq ? known ?? null : changed.end;
    this.view = { ...changed, visits, transitions, end };
    // A command ends with an event, so its output is no longer current.
    this.output = "";
  }

  // The current visit, or the last one.
  get current() {
    return this.view.visits.at(-1);
  }

  // Whether it has ended, even if it is resumed automatically.
  get stopped() {
    return this.view.end !== null;
  }

  get paused() {
    return this.stopped && Boolean(this.view.end.resume_at);
  }

  // Whether it has ended, and is not resumed automatically.
  get over() {
    return this.stopped && !this.paused;
  }
}
