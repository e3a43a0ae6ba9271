// The page's data. Views listen for changes; only this file reads the server's messages.

import { Api } from "./api.js";
import { Connection } from "./connection.js";
import { Following } from "./following.js";
import { forget, isPass, renew, storedPass } from "./pass.js";

// Messages after which agents may be working on something else.
const WORK_MESSAGES = new Set([
  "recipe_started", "recipe_step_transition", "recipe_exited", "turn_complete", "session_list", "session_created", "session_killed", "work_changed",
]);

// Events: `change`, where `detail.what` is `connection`, `recipes`, `runs`, `work`, `sessions`,
// `notice`, `run:<id>` or `conversation:<session>`.
export class State extends EventTarget {
  // The key, or the id of this browser's pass.
  key = null;
  // When the connection was lost, if there was one.
  lostSince = null;
  recipes = [];
  agents = [];
  // The directory that the server proposes where there is no session yet.
  directory = "";
  enabled = true;
  // The server's last message about a run, by session.
  lastRunMessages = new Map();
  sessions = new Map();
  // Runs that are shown, and the conversations beside them.
  runs = new Following(this);
  conversations = new Map();
  outlines = new Map();
  notice = null;
  // Whether the server has accepted the key.
  #paired = false;
  // Whether the server has sent the first list of sessions over this connection.
  #listed = false;

  // Whether the request for a pass is pending: until it is answered, a reload would ask for the
  // key.
  #signingIn = false;

  get connectionState() {
    const now = this.connection?.state ?? "off";
    return now === "on" && this.#signingIn ? "connecting" : now;
  }

  // Whether the server refused a pass rather than a key.
  get signedOut() {
    return this.connectionState === "refused" && isPass(this.key);
  }

  // Whether this page may widen what runs do, and trust repositories.
  get mayWiden() {
    return this.connection?.mayWiden ?? false;
  }

  // The last message about each run that is running.
  get running() {
    return [...this.lastRunMessages.values()].filter(({ type }) => type === "recipe_started");
  }

  // Connects with this key, or with this browser's pass. Another key may belong to another server,
  // with other sessions.
  pair(key) {
    this.connection?.close();
    this.key = key;
    this.#paired = false;
    this.#signingIn = false;
    this.lostSince = null;
    this.sessions.clear();
    this.api = new Api(key);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.connection = new Connection(`${scheme}://${location.host}/ws`, key);
    this.connection.addEventListener("state", () => this.#connectionChanged());
    this.connection.addEventListener("message", ({ detail }) => this.#receive(detail));
    this.connection.open();
  }

  // Deletes the pass of this browser.
  signOut() {
    this.connection?.close();
    return forget(this.api, storedPass());
  }

  // Gets a pass for the key, so that links, new tabs and reloads need no key.
  async #signIn() {
    const { connection } = this;
    this.#signingIn = true;
    // Without a pass the page still works, but a reload asks for the key.
    await renew(this.api).catch(() => null);
    if (connection !== this.connection) return;
    this.#signingIn = false;
    this.changed("connection");
  }

  // Sends a message. Without a connection, a notice on the page says so.
  send(message) {
    const problem = this.connection.send(message);
    this.notify(problem);
    return !problem;
  }

  #connectionChanged() {
    switch (this.connection.state) {
      case "on":
        // After a reconnect the browser already has its pass.
        if (!this.#paired && !isPass(this.key)) this.#signIn();
        this.#paired = true;
        this.lostSince = null;
        this.notify(null);
        this.#catchUp();
        break;
      case "refused":
        // A pass ends with the key that it was made with.
        if (isPass(this.key)) forget(this.api, this.key);
        break;
      case "waiting":
        if (!this.#paired || this.lostSince) break;
        this.api.abortPending();
        this.lostSince = new Date();
        break;
    }
    this.changed("connection");
  }

  // Reads what may have been missed: a run from its last known event, a conversation from its next
  // offset. The server reports again which runs are running, so the old reports are dropped.
  #catchUp() {
    this.#listed = false;
    this.lastRunMessages.clear();
    this.runs.catchUp();
    for (const session of this.conversations.keys()) this.#subscribe(session);
    this.changed("runs");
    this.changed("work");
  }

  #receive(message) {
    if (WORK_MESSAGES.has(message.type)) this.changed("work");
    switch (message.type) {
      case "available_recipes":
        this.recipes = message.recipes;
        this.enabled = message.enabled;
        this.agents = message.agents ?? [];
        this.directory = message.working_directory ?? "";
        // The server may have been restarted with other recipes.
        this.outlines.clear();
        this.changed("recipes");
        break;
      case "orchestration_set":
        if (!message.session_id) this.enabled = message.enabled;
        this.notify(null);
        this.changed("recipes");
        break;
      case "session_list":
        for (const session of message.sessions) this.sessions.set(session.session_id, session);
        this.changed("sessions");
        // The server sends the list again, unasked, if it failed to publish an update.
        if (this.#listed) this.runs.catchUp();
        this.#listed = true;
        break;
      case "session_created":
        this.sessions.set(message.session_id, message);
        this.changed("sessions");
        break;
      case "recipe_started":
      case "recipe_exited":
        this.lastRunMessages.set(message.session_id, message);
        this.#updateSession(message);
        this.changed("runs");
        break;
      case "run_view":
        this.runs.receive(message);
        break;
      case "run_output":
        this.runs.receiveOutput(message);
        break;
      case "session_history":
        this.#addMessages(message);
        break;
      case "error":
        this.notify(message.message);
        break;
    }
  }

  // Sessions are listed by their last activity, with the run that ended last.
  #updateSession({ type, session_id: id, at, run_id: run, recipe_id: recipe, title }) {
    const session = this.sessions.get(id);
    if (!session || !at) return;
    session.last_modified = Math.max(session.last_modified, Date.parse(at));
    const label = this.recipes.find((offered) => offered.id === recipe)?.label ?? recipe;
    if (type === "recipe_exited") session.last_recipe = { run_id: run, recipe_id: recipe, recipe_label: label, title, ended_at: at };
    this.changed("sessions");
  }

  // Follows a run: the server's view of it, and the conversation of its session.
  async follow(run) {
    const followed = await this.runs.follow(run);
    const session = followed.run.session_id;
    if (!this.conversations.has(session)) this.#subscribe(session);
    return followed;
  }

  // Stops following a run.
  leave(run) {
    const session = this.runs.leave(run);
    if (session) this.#unsubscribe(session);
  }

  // The view of a run has changed. A reading can have the end before the server's message does.
  runChanged({ id, stopped, run: { session_id: session } }) {
    const last = this.lastRunMessages.get(session);
    if (stopped && last?.run_id === id && last.type === "recipe_started") {
      this.lastRunMessages.delete(session);
      this.changed("runs");
    }
    this.changed(`run:${id}`);
  }

  // Subscribes to the conversation of a session. Returns the function that unsubscribes.
  listen(session) {
    this.#subscribe(session);
    return () => this.#unsubscribe(session);
  }

  // Subscribes to the conversation of a session, from the first message that is missing.
  #subscribe(session) {
    const known = this.conversations.get(session) ?? { messages: [], signature: null };
    this.conversations.set(session, known);
    // A message that arrives before earlier ones leaves a gap.
    const gap = known.messages.findIndex((message) => !message);
    this.connection.send({
      type: "subscribe",
      session_id: session,
      from_offset: gap < 0 ? known.messages.length : gap,
      file_signature_seen: known.signature,
    });
  }

  #unsubscribe(session) {
    this.conversations.delete(session);
    this.connection.send({ type: "unsubscribe", session_id: session });
  }

  #addMessages(history) {
    const known = this.conversations.get(history.session_id);
    if (!known) return;
    if (known.signature && known.signature !== history.file_signature) known.messages.length = 0;
    known.signature = history.file_signature;
    for (const message of history.messages) known.messages[message.offset] = message;
    known.messages.length = history.next_offset;
    if (!history.end_of_file) this.#subscribe(history.session_id);
    this.changed(`conversation:${history.session_id}`);
  }

  // A recipe's steps, outcomes and limits. They do not change while the server runs. Its prompts
  // may: `fresh` reads them again.
  async outline(recipe, { fresh = false } = {}) {
    if (fresh || !this.outlines.has(recipe)) this.outlines.set(recipe, this.api.recipe(recipe));
    try {
      return await this.outlines.get(recipe);
    } catch (error) {
      this.outlines.delete(recipe);
      throw error;
    }
  }

  // Shows a notice on the page until something newer replaces it; `null` removes it.
  notify(words) {
    if (!words && !this.notice) return;
    this.notice = words;
    this.changed("notice");
  }

  changed(what) {
    this.dispatchEvent(new CustomEvent("change", { detail: { what } }));
  }
}
