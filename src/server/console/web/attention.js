// Which runs need a person: the last run of a session, if it stopped and waits for an answer, for a
// higher limit or for a repair. A run that the user has opened and left no longer counts.

// The statuses of a stopped run that only a person can change.
const NEEDS = new Set(["waiting", "limited", "failed"]);

// The statuses by category, for reasons that the server's list does not have.
const STATUS_BY_CATEGORY = { guardrail: "limited", error: "failed", completed: "waiting" };

const SEEN = "surefire-seen";

// How many ends are remembered as seen. The server only reports those of the last day.
const MAX_SEEN = 200;

export class Attention {
  // The status of each reason, by its code; `null` until it was read.
  #statuses = null;
  #reading = false;

  // Calls `changed` whenever other runs may need a person.
  constructor(state, changed) {
    Object.assign(this, { state, changed });
    state.addEventListener("change", ({ detail: { what } }) => {
      if (what === "connection" && state.connectionState === "on") this.#readReasons();
      if (what === "connection" || what === "runs" || what === "recipes") changed();
    });
    // Another tab may have marked a run as seen.
    addEventListener("storage", ({ key }) => key === SEEN && changed());
  }

  // The runs that need a person, each with its recipe's label, oldest first.
  get runs() {
    if (!this.#statuses || this.state.connectionState === "refused") return [];
    const seen = new Set(read());
    return [...this.state.lastRunMessages.values()]
      .filter((message) => this.#needs(message) && !seen.has(end(message)))
      .map(({ run_id: id, recipe_id: recipe }) => ({ id, label: this.state.recipes.find((one) => one.id === recipe)?.label ?? recipe }));
  }

  // The user leaves the view of this run, so its end counts as seen.
  left(run) {
    const messages = [...this.state.lastRunMessages.values()].filter((message) => message.run_id === run && this.#needs(message));
    if (messages.length === 0) return;
    localStorage.setItem(SEEN, JSON.stringify([...read(), ...messages.map(end)].slice(-MAX_SEEN)));
    this.changed();
  }

  #needs({ type, run_id: run, reason, category, goal_met: met, resume_at: resumes, continued_by: next }) {
    if (type !== "recipe_exited" || !run || met || resumes || next) return false;
    // Some reasons name the step after a colon.
    return NEEDS.has(this.#statuses?.get(reason.split(":")[0]) ?? STATUS_BY_CATEGORY[category]);
  }

  async #readReasons() {
    if (this.#statuses || this.#reading) return;
    this.#reading = true;
    // Without the list, the category decides.
    const reasons = await this.state.api.reasons().catch(() => []);
    this.#reading = false;
    this.#statuses = new Map(reasons.map(({ code, status }) => [code.split(":")[0], status.name]));
    this.changed();
  }
}

// Forgets which ends were seen.
export const forgetSeen = () => localStorage.removeItem(SEEN);

// A resumed run can end again.
const end = ({ run_id: run, seq }) => `${run}:${seq}`;

function read() {
  try {
    const seen = JSON.parse(localStorage.getItem(SEEN) ?? "[]");
    return Array.isArray(seen) ? seen : [];
  } catch {
    return [];
  }
}
