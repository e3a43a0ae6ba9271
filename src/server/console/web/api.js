// Questions over HTTP: what is known about recipes, reasons and runs.

// The server does not take the key.
export class NotAllowed extends Error {}

// The server has nothing of that name.
export class NotThere extends Error {}

// How many runs the server lists at once.
const PAGE = 1000;

export class Api {
  #asking = new AbortController();

  constructor(key) {
    this.key = key;
  }

  // Gives up on all answers that are still waited for: over a connection that has died without a word, they never come.
  hangUp() {
    this.#asking.abort();
    this.#asking = new AbortController();
  }

  recipe(id) {
    return this.#get(`/api/recipes/${encodeURIComponent(id)}`);
  }

  // What the agent will be told first.
  async firstPrompt(recipe, about) {
    const query = new URLSearchParams(about ? { about } : {});
    return (await this.#get(`/api/recipes/${encodeURIComponent(recipe)}/prompt?${query}`)).prompt;
  }

  reasons() {
    return this.#get("/api/exit-reasons");
  }

  // The sessions in which an agent is at work.
  async work() {
    return (await this.#get("/api/work")).work;
  }

  async runs(filter = {}) {
    const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
    return (await this.#get(`/api/runs?${query}`)).runs;
  }

  // So many runs, newest first, page after page.
  async manyRuns(filter, wanted) {
    const found = [];
    let page;
    do {
      const limit = Math.min(PAGE, wanted - found.length);
      page = await this.runs({ ...filter, limit, before: found.at(-1)?.run_id });
      found.push(...page);
      if (page.length < limit) break;
    } while (found.length < wanted);
    return found;
  }

  // A run, and the view of it: what has changed in that since this event.
  run(id, since = 0) {
    return this.#get(`/api/runs/${encodeURIComponent(id)}?since=${since}`);
  }

  // What a run changed, all in all or in one turn.
  diff(id, turn) {
    const query = new URLSearchParams(turn ? { turn } : {});
    return this.#get(`/api/runs/${encodeURIComponent(id)}/diff?${query}`);
  }

  async #get(path) {
    const { signal } = this.#asking;
    const answer = await fetch(path, { signal, headers: { authorization: `Bearer ${this.key}` } }).catch(() => null);
    if (answer?.status === 401) throw new NotAllowed("The server does not take this key.");
    // An answer can also break off in the middle.
    const body = await answer?.json().catch(() => null);
    if (answer?.ok && body) return body;
    if (!answer || answer.ok) throw new Error("The server cannot be reached right now.");
    throw new (answer.status === 404 ? NotThere : Error)(body?.error ?? `the server answered ${answer.status}`);
  }
}
