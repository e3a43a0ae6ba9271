// A run that is shown: the server's view of it, brought up to date by what has changed since. What the events mean is the
// server's to say; here they are only put in their place.

// How long a visit has taken, in milliseconds.
export const spent = ({ began, ended, rested_ms: rested }, now) => (ended ?? now) - began - rested;

export class Followed {
  // How many look at it.
  followers = 0;

  constructor({ run, view }) {
    Object.assign(this, { run, view });
  }

  // Takes in what has changed since the last event that is known.
  update({ run, view }) {
    const known = this.view;
    // Answers can overtake each other.
    if (view.seq < known.seq) return;
    const visits = [...known.visits];
    for (const visit of view.visits) {
      const index = visits.findIndex(({ number }) => number === visit.number);
      visits[index < 0 ? visits.length : index] = visit;
    }
    const transitions = [...known.transitions, ...view.transitions.filter(({ seq }) => seq > known.seq)];
    // An end that is known stays the same object, so that it is not drawn again.
    const end = view.end?.seq === known.end?.seq ? known.end : view.end;
    Object.assign(this, { run, view: { ...view, visits, transitions, end } });
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
