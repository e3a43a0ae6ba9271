// A run that is shown: the server's view of it, brought up to date by what has changed since. What the events mean is the
// server's to say; here they are only put in their place.

// How long a visit has taken, in milliseconds.
export const spent = ({ began, ended, rested_ms: rested }, now) => (ended ?? now) - began - rested;

export class Followed {
  // How many parts of the page show it.
  followers = 0;
  // What stays the same in a run: its recipe, its session, where its agent works.
  run = null;
  // The server's view of it; `null` until it was read.
  view = null;
  // The last line that its command printed, while that runs.
  output = "";
  // What was pushed during a reading, about events after one that is not known yet.
  #ahead = [];

  constructor(id) {
    this.id = id;
  }

  // The last event that is known.
  get seq() {
    return this.view?.seq ?? 0;
  }

  // A reading begins. It will have everything that was pushed before.
  expect() {
    this.#ahead = [];
  }

  // Takes in what was read, and what was pushed meanwhile. Whether nothing is missing between the two.
  read({ run, view }) {
    this.run = run;
    this.#merge(view);
    return this.#ahead.splice(0).every((changed) => this.push(changed));
  }

  // Takes in what one event has changed. Where the events between the last known one and this have to be read first, it is kept until
  // they are, and the answer is `false`.
  push(changed) {
    const follows = this.view !== null && changed.seq <= this.seq + 1;
    if (follows) this.#merge(changed);
    else this.#ahead.push(changed);
    return follows;
  }

  // Puts what has changed into the view. It has all that changed since some event that is known, so it can begin before the last one.
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
    // The end of a command is an event.
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
