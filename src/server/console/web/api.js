// Questions over HTTP: what is known about recipes, reasons and runs.

// The server does not take the key.
export class NotAllowed extends Error {}

// The server has nothing of that name.
export class NotThere extends Error {}

// How many events, and how many runs, the server tells at once.
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

  // A run and what happened in it after this event, all of it.
  async journal(run, since = 0) {
    const path = `/api/runs/${encodeURIComponent(run)}`;
    const journal = await this.#get(`${path}?since=${since}`);
    let last = journal.events;
    while (last.length >= PAGE) {
      const more = await this.#get(`${path}?since=${last.at(-1).seq}`);
      journal.run = more.run;
      last = more.events;
      journal.events.push(...last);
    }
    return journal;
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
