// HTTP requests: recipes, exit reasons, runs, and this browser's pass.

// The server rejected the key.
export class Unauthorized extends Error {}

// The server has no such recipe or run.
export class NotFound extends Error {}

// How many runs the server lists in one answer.
const MAX_RUNS_PER_PAGE = 1000;

export class Api {
  #pending = new AbortController();

  constructor(key) {
    this.key = key;
  }

  // Aborts all pending requests: over a connection that died silently, they are never answered.
  abortPending() {
    this.#pending.abort();
    this.#pending = new AbortController();
  }

  recipe(id) {
    return this.#get(`/api/recipes/${encodeURIComponent(id)}`);
  }

  // The first prompt that the agent would receive.
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

  // Up to `wanted` runs, newest first, read page by page.
  async manyRuns(filter, wanted) {
    const found = [];
    let page;
    do {
      const limit = Math.min(MAX_RUNS_PER_PAGE, wanted - found.length);
      page = await this.runs({ ...filter, limit, before: found.at(-1)?.run_id });
      found.push(...page);
      if (page.length < limit) break;
    } while (found.length < wanted);
    return found;
  }

  // A run, and what has changed in its view since this event.
  run(id, since = 0) {
    return this.#get(`/api/runs/${encodeURIComponent(id)}?since=${since}`);
  }

  // What a run changed, as a whole or in one turn.
  diff(id, turn) {
    const query = new URLSearchParams(turn ? { turn } : {});
    return this.#get(`/api/runs/${encodeURIComponent(id)}/diff?${query}`);
  }

  // The id of a new pass for this browser; the answer sets its cookie.
  async newPass() {
    return (await this.#request("POST", "/api/browser")).browser;
  }

  // Removes the cookie of the pass with this id. Without its id the cookie is worthless, so a
  // failure does no harm.
  forgetPass(id) {
    return fetch("/api/browser", { method: "DELETE", keepalive: true, headers: { authorization: `Bearer ${id}` } }).catch(() => null);
  }

  #get(path) {
    return this.#request("GET", path);
  }

  async #request(method, path) {
    const { signal } = this.#pending;
    const answer = await fetch(path, { method, signal, headers: { authorization: `Bearer ${this.key}` } }).catch(() => null);
    if (answer?.status === 401) throw new Unauthorized("The server rejected this key.");
    // An answer can break off in the middle.
    const body = await answer?.json().catch(() => null);
    if (answer?.ok && body) return body;
    if (!answer || answer.ok) throw new Error("The server cannot be reached right now.");
    throw new (answer.status === 404 ? NotFound : Error)(body?.error ?? `the server answered ${answer.status}`);
  }
}
