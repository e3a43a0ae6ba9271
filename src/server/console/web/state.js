// All that the page knows, in one place. Whoever shows it listens for changes; only this file hears the server.

import { Api } from "./api.js";
import { Connection } from "./connection.js";
import { Following } from "./following.js";

// What is heard when agents may work on something else than before.
const ABOUT_WORK = new Set([
  "recipe_started", "recipe_step_transition", "recipe_exited", "turn_complete", "session_list", "session_created", "session_killed", "work_changed",
]);

// Events: `change`, where `detail.what` is `connection`, `recipes`, `runs`, `work`, `sessions`, `notice`, `run:<id>` or `words:<session>`.
export class State extends EventTarget {
  key = null;
  // Since when there is no connection, if there was one.
  lostSince = null;
  recipes = [];
  agents = [];
  // Where agents may work, for somebody who has never worked anywhere.
  directory = "";
  enabled = true;
  // The last that the server said about each session's run, by session.
  present = new Map();
  sessions = new Map();
  // Runs that are shown, and the conversations beside them.
  runs = new Following(this);
  conversations = new Map();
  outlines = new Map();
  notice = null;
  // Whether the server has taken the key.
  #paired = false;
  // Whether this connection has brought its first list of sessions.
  #greeted = false;

  get connectionState() {
    return this.connection?.state ?? "off";
  }

  // Whether this page may widen what runs do, and trust repositories.
  get mayWiden() {
    return this.connection?.mayWiden ?? false;
  }

  // What was said last about the runs that go on.
  get going() {
    return [...this.present.values()].filter(({ type }) => type === "recipe_started");
  }

  // Connects with this key. Who takes another one may be another server, with other sessions.
  pair(key) {
    this.connection?.close();
    this.key = key;
    this.#paired = false;
    this.lostSince = null;
    this.sessions.clear();
    this.api = new Api(key);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.connection = new Connection(`${scheme}://${location.host}/ws`, key);
    this.connection.addEventListener("state", () => this.#connectionChanged());
    this.connection.addEventListener("message", ({ detail }) => this.#hear(detail));
    this.connection.open();
  }

  // Says something to the server; where nobody hears it, that is said to whoever looks at the page.
  say(message) {
    const problem = this.connection.say(message);
    this.notify(problem);
    return !problem;
  }

  #connectionChanged() {
    switch (this.connection.state) {
      case "on":
        this.#paired = true;
        this.lostSince = null;
        this.notify(null);
        this.#comeBack();
        break;
      case "waiting":
        if (!this.#paired || this.lostSince) break;
        this.api.hangUp();
        this.lostSince = new Date();
        break;
    }
    this.changed("connection");
  }

  // What may have been missed is read again: a run from its last known event, a conversation from its next offset. Which runs go on is
  // told anew, so what was known of them is dropped.
  #comeBack() {
    this.#greeted = false;
    this.present.clear();
    this.runs.catchUp();
    for (const session of this.conversations.keys()) this.#subscribe(session);
    this.changed("runs");
    this.changed("work");
  }

  #hear(message) {
    if (ABOUT_WORK.has(message.type)) this.changed("work");
    switch (message.type) {
      case "available_recipes":
        this.recipes = message.recipes;
        this.enabled = message.enabled;
        this.agents = message.agents ?? [];
        this.directory = message.working_directory ?? "";
        // A server that comes back may have become another one.
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
        // It comes once more, unasked, where the server could not tell its clients of something.
        if (this.#greeted) this.runs.catchUp();
        this.#greeted = true;
        break;
      case "session_created":
        this.sessions.set(message.session_id, message);
        this.changed("sessions");
        break;
      case "recipe_started":
      case "recipe_exited":
        this.present.set(message.session_id, message);
        this.#worked(message);
        this.changed("runs");
        break;
      case "run_view":
        this.runs.hear(message);
        break;
      case "run_output":
        this.runs.hearOutput(message);
        break;
      case "session_history":
        this.#converse(message);
        break;
      case "error":
        this.notify(message.message);
        break;
    }
  }

  // Sessions are listed by when something was last done in them, with the run that ended last.
  #worked({ type, session_id: id, at, run_id: run, recipe_id: recipe, title }) {
    const session = this.sessions.get(id);
    if (!session || !at) return;
    session.last_modified = Math.max(session.last_modified, Date.parse(at));
    const label = this.recipes.find((offered) => offered.id === recipe)?.label ?? recipe;
    if (type === "recipe_exited") session.last_recipe = { run_id: run, recipe_id: recipe, recipe_label: label, title, ended_at: at };
    this.changed("sessions");
  }

  // Follows a run: the server's view of it, and what is said in its session.
  async follow(run) {
    const followed = await this.runs.follow(run);
    const session = followed.run.session_id;
    if (!this.conversations.has(session)) this.#subscribe(session);
    return followed;
  }

  // Follows it no longer.
  leave(run) {
    const session = this.runs.leave(run);
    if (session) this.#unsubscribe(session);
  }

  // How a run is shown has changed. An end may be read of before it is heard of.
  runChanged({ id, stopped, run: { session_id: session } }) {
    const last = this.present.get(session);
    if (stopped && last?.run_id === id && last.type === "recipe_started") {
      this.present.delete(session);
      this.changed("runs");
    }
    this.changed(`run:${id}`);
  }

  // Hears what is said in a session that is shown by itself, until what comes back is called.
  listen(session) {
    this.#subscribe(session);
    return () => this.#unsubscribe(session);
  }

  // Hears what is said in a session, from where it left off.
  #subscribe(session) {
    const known = this.conversations.get(session) ?? { messages: [], signature: null };
    this.conversations.set(session, known);
    // What was heard before the rest came has left a gap.
    const gap = known.messages.findIndex((message) => !message);
    this.connection.say({
      type: "subscribe",
      session_id: session,
      from_offset: gap < 0 ? known.messages.length : gap,
      file_signature_seen: known.signature,
    });
  }

  #unsubscribe(session) {
    this.conversations.delete(session);
    this.connection.say({ type: "unsubscribe", session_id: session });
  }

  #converse(history) {
    const known = this.conversations.get(history.session_id);
    if (!known) return;
    if (known.signature && known.signature !== history.file_signature) known.messages.length = 0;
    known.signature = history.file_signature;
    for (const message of history.messages) known.messages[message.offset] = message;
    known.messages.length = history.next_offset;
    if (!history.end_of_file) this.#subscribe(history.session_id);
    this.changed(`words:${history.session_id}`);
  }

  // A recipe's steps, outcomes and limits. They stay the same for as long as the server runs.
  async outline(recipe) {
    if (!this.outlines.has(recipe)) this.outlines.set(recipe, this.api.recipe(recipe));
    try {
      return await this.outlines.get(recipe);
    } catch (error) {
      this.outlines.delete(recipe);
      throw error;
    }
  }

  // Tells whoever looks at the page, until something else has happened that makes it old; `null` makes it so.
  notify(words) {
    if (!words && !this.notice) return;
    this.notice = words;
    this.changed("notice");
  }

  changed(what) {
    this.dispatchEvent(new CustomEvent("change", { detail: { what } }));
  }
}
