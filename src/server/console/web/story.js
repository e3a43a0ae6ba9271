// What happened in a run, as people are told it: one visit of a step after the other. It follows from the run's events.

// How long a visit has taken, in milliseconds.
export const spent = ({ began, ended, rested }, now) => (ended ?? now) - began - rested;

export class Story {
  // The last event that is known.
  seq = 0;
  // How many look at it.
  followers = 0;
  visits = [];
  // The ways that were taken: which outcome of which step.
  taken = [];
  // What somebody said and the agent has not heard yet.
  #waiting = [];
  // What somebody said and the agent will not hear, because the run was stopped.
  withdrawn = [];
  cost = 0;
  turns = 0;
  about = null;
  limits = {};
  ending = null;
  // Whether more is allowed than the recipe says.
  raised = false;
  #passing = null;

  constructor(run) {
    this.run = run;
    this.last = Date.parse(run.started_at);
  }

  // The visit that goes on, or the last one.
  get present() {
    return this.visits.at(-1);
  }

  // Whether it has ended, also if it will go on by itself later.
  get stopped() {
    return this.ending !== null;
  }

  // Whether it has ended, and does not go on by itself.
  get over() {
    return this.stopped && !this.ending.resume_at;
  }

  // What waits for the next step. What a run that is over had left, the agent is told outside of it.
  get waiting() {
    return this.over ? [] : this.#waiting;
  }

  // How often each step was visited.
  get counts() {
    const counts = new Map();
    for (const { step } of this.visits) counts.set(step, (counts.get(step) ?? 0) + 1);
    return counts;
  }

  learn(event) {
    this.seq = event.seq;
    this.last = Date.parse(event.at);
    switch (event.event) {
      case "started":
        this.about = event.order.about ?? null;
        this.limits = event.order.limits;
        this.#enter(1, event.step);
        break;
      case "turn_began":
        this.turns += 1;
        if (event.purpose.kind === "pass") this.#pass(event.purpose.prompt);
        break;
      case "replied":
        this.#passing = null;
        this.#paid(event);
        if (event.read.repaired?.length) this.#remark(`its reply was repaired (${event.read.repaired.join(", ")})`);
        break;
      case "reasked":
        this.present.retries += 1;
        this.#remark(`asked again (${event.number} of ${event.of}): ${event.problem}`);
        break;
      case "moved":
        this.#leave(event.outcome);
        this.taken.push({ from: event.from, outcome: event.outcome });
        this.#enter(event.number, event.to);
        break;
      case "prompt_queued":
        this.#waiting.push(event.prompt);
        break;
      case "ended":
        this.#paid(event);
        if (event.unheard && this.#passing) this.#waiting.unshift(this.#passing);
        this.#passing = null;
        this.withdrawn.push(...(event.withdrawn ?? []));
        this.#end(event.ending);
        break;
      case "resumed":
        this.#resume(event);
        break;
    }
  }

  #enter(number, step) {
    this.visits.push({ number, step, began: this.last, ended: null, rested: 0, outcome: null, retries: 0, remarks: [] });
  }

  #leave(outcome) {
    // One that had stopped to go on by itself may be ended for good later.
    if (this.present) Object.assign(this.present, { ended: this.present.ended ?? this.last, outcome: outcome ?? null });
  }

  #pass(prompt) {
    this.#passing = prompt;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== prompt);
    this.#remark("the agent is told what somebody said");
  }

  #end(ending) {
    this.ending = ending;
    this.#leave(ending.outcome);
    if (ending.outcome) this.taken.push({ from: ending.step, outcome: ending.outcome });
  }

  #resume({ by, limits, extra_visits: visits, extra_steps: steps, told = [] }) {
    this.#remark(`stopped (${this.ending?.reason}), and resumed by ${by === "auto" ? "itself" : "somebody"}`);
    this.limits = limits;
    this.raised = visits > 0 || steps > 0;
    this.#waiting = this.#waiting.filter((prompt) => !told.includes(prompt));
    // It goes on in the visit that it had stopped in; what lies in between is not its time.
    const { present } = this;
    if (present) {
      present.rested += this.last - (present.ended ?? this.last);
      Object.assign(present, { ended: null, outcome: null });
    }
    this.ending = null;
  }

  #paid({ cost_usd: cost }) {
    this.cost += Math.max(0, cost ?? 0);
  }

  #remark(words) {
    this.present?.remarks.push(words);
  }
}
