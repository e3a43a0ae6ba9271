// All that the page knows, in one place. Whoever shows it listens for changes; only this file hears the server.

import { Api, NotAllowed, NotThere } from "./api.js";
import { Connection } from "./connection.js";
import { Followed } from "./followed.js";

// How long to wait until a run that could not be read is tried again, in milliseconds.
const PATIENCE = 2_000;

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
  followed = new Map();
  conversations = new Map();
  outlines = new Map();
  notice = null;
  // Whether the server has taken the key.
  #paired = false;

  get connectionState() {
    return this.connection?.state ?? "off";
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
    this.present.clear();
    for (const run of this.followed.keys()) this.catchUp(run);
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
        this.catchUp(message.run_id);
        break;
      case "recipe_step_started":
      case "recipe_step_transition":
      case "orchestration_retry":
        this.catchUp(message.run_id);
        break;
      case "turn_complete":
        this.#catchUpIn(message.session_id);
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

  // Follows a run: the server's view of it, and what is said in its session. A page that goes back and forth follows one that is
  // not left yet, and shares it.
  async follow(run) {
    const details = await this.api.run(run);
    let followed = this.followed.get(run);
    if (!followed) {
      followed = new Followed(details);
      this.followed.set(run, followed);
      this.#subscribe(followed.run.session_id);
    }
    followed.followers += 1;
    // What has changed since it was read was not heard by this page.
    this.catchUp(run);
    return followed;
  }

  // Follows it no longer.
  leave(run) {
    const followed = this.followed.get(run);
    if (!followed || --followed.followers > 0) return;
    this.followed.delete(run);
    const session = followed.run.session_id;
    if ([...this.followed.values()].some(({ run }) => run.session_id === session)) return;
    this.conversations.delete(session);
    this.connection.say({ type: "unsubscribe", session_id: session });
  }

  // Reads what is new in a run that is followed. One at a time for each: whoever asks meanwhile is served by one more look.
  async catchUp(run) {
    const followed = this.followed.get(run);
    if (!followed) return;
    followed.again = true;
    if (followed.looking) return;
    followed.looking = true;
    while (followed.again) {
      followed.again = false;
      try {
        followed.update(await this.api.run(run, followed.view.seq));
        this.#settle(followed);
      } catch (error) {
        this.#unread(run, error);
      }
      this.changed(`run:${run}`);
    }
    followed.looking = false;
  }

  // An end may be read of before it is heard of.
  #settle({ stopped, run: { run_id: run, session_id: session } }) {
    const last = this.present.get(session);
    if (!stopped || last?.run_id !== run || last.type !== "recipe_started") return;
    this.present.delete(session);
    this.changed("runs");
  }

  // Without a connection all is read again when it is back. With one, nothing may happen that would say when to look again.
  #unread(run, error) {
    if (error instanceof NotAllowed) this.connection.refuse();
    if (error instanceof NotAllowed || error instanceof NotThere) return;
    const followed = this.followed.get(run);
    clearTimeout(followed?.patience);
    if (followed) followed.patience = setTimeout(() => this.connectionState === "on" && this.catchUp(run), PATIENCE);
  }

  #catchUpIn(session) {
    for (const [id, { run }] of this.followed) if (run.session_id === session) this.catchUp(id);
  }

  // Hears what is said in a session that is shown by itself, until what comes back is called.
  listen(session) {
    this.#subscribe(session);
    return () => {
      this.conversations.delete(session);
      this.connection.say({ type: "unsubscribe", session_id: session });
    };
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

  #converse(history) {
    const known = this.conversations.get(history.session_id);
    if (!known) return;
    if (known.signature && known.signature !== history.file_signature) known.messages.length = 0;
    known.signature = history.file_signature;
    for (const message of history.messages) known.messages[message.offset] = message;
    known.messages.length = history.next_offset;
    if (!history.end_of_file) this.#subscribe(history.session_id);
    this.changed(`words:${history.session_id}`);
    // Somebody's words may wait in the run for their turn.
    if (history.messages.some(({ role }) => role === "user")) this.#catchUpIn(history.session_id);
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
