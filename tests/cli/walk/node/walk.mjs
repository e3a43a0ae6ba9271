// A client in another language, with the stock WebSocket library `ws`. It walks the way that the app walks, reads messages as
// strictly as the app does, and keeps the app's own picture of things.
//
//   node walk.mjs <folder with node_modules> <ready line: garbage-once> <ready line: never-satisfied>
//
// It prints a line for each check, and `ok: N checks` at the end; or why not, and ends with status 1.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, ...lines] = process.argv.slice(2);
const WebSocket = createRequire(join(folder, "package.json"))("ws");

// The longest that anything may take. Nothing waits for it to pass.
const PATIENCE = 20_000;
// The app collects updates for so long before it shows them.
const DEBOUNCE = 100;

let checks = 0;
function check(what, holds) {
  assert.ok(holds, `it does not hold: ${what}`);
  checks += 1;
  console.log(`ok ${checks} - ${what}`);
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading, as strictly as the app

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PROVIDERS = ["claude", "copilot", "cursor", "opencode"];

const said = (value) => typeof value === "string" && value.length > 0;
const text = (value) => typeof value === "string";
const flag = (value) => typeof value === "boolean";
const uuid = (value) => text(value) && UUID.test(value);
const moment = (value) => text(value) && MOMENT.test(value);
const count = (value) => Number.isSafeInteger(value) && value >= 0;
const ordinal = (value) => count(value) && value >= 1;
const millis = (value) => count(value) && value > 1_700_000_000_000;
const provider = (value) => PROVIDERS.includes(value);
const nothing = (value) => value === null;
const yes = (value) => value === true;
const either = (...forms) => (value) => forms.some((form) => form(value));
const optional = (form) => Object.assign((value) => value === undefined || form(value), { optional: true });
const list = (fields) => (value) => Array.isArray(value) && value.every((entry) => fits(entry, fields));
const empty = (value) => Array.isArray(value) && value.length === 0;

const OF_RUN = { run_id: uuid, seq: ordinal, at: moment };
const PERHAPS_OF_RUN = { run_id: optional(uuid), seq: optional(ordinal), at: optional(moment) };
const SESSION = {
  session_id: uuid, name: said, working_directory: said, last_modified: millis, message_count: count, provider,
};
const RECENT = { session_id: uuid, name: said, working_directory: said, last_modified: moment, provider };
const MESSAGE = {
  session_id: uuid, uuid, role: (role) => role === "user" || role === "assistant", text, timestamp: moment,
  offset: count, seq: ordinal, id: uuid, provider,
};
const FORMS = {
  hello: { message: said, version: (version) => /^\d+\.\d+\.\d+$/.test(version), auth_version: count, instructions: said },
  connected: { message: said, session_id: optional(text), negotiated_protocol_version: said },
  session_list: { sessions: list(SESSION), total_count: count },
  recent_sessions: { sessions: list(RECENT), limit: ordinal },
  session_created: { ...SESSION, preview: text },
  session_ready: { session_id: uuid, message: said },
  available_commands: { project_commands: empty, general_commands: empty },
  available_recipes: { recipes: list({ id: said, label: said, description: said }), enabled: flag },
  session_history: {
    session_id: uuid, messages: list(MESSAGE), total_count: count,
    // 0.5
    next_offset: count, end_of_file: flag, file_signature: said, file_replaced: optional(yes),
    // 0.4
    first_seq: either(ordinal, nothing), last_seq: either(ordinal, nothing), next_seq: ordinal, is_complete: flag,
    gap: nothing,
  },
  recipe_started: {
    session_id: uuid, recipe_id: said, recipe_label: said, current_step: said, step: said, step_count: ordinal, ...OF_RUN,
  },
  recipe_step_started: { session_id: uuid, step: said, step_count: ordinal, ...OF_RUN },
  recipe_step_transition: { session_id: uuid, from_step: said, to_step: said, outcome: said, ...OF_RUN },
  orchestration_retry: {
    session_id: uuid, step: said, error: said, attempt: ordinal, max_attempts: ordinal, ...OF_RUN,
  },
  recipe_exited: {
    session_id: uuid, reason: said, category: (name) => ["completed", "guardrail", "error"].includes(name),
    message: said, error: optional(said), goal_met: flag, title: said, diagnosis: said, auto_resumable: flag,
    description: optional(said), step: optional(said), step_count: count, recipe_id: optional(said),
    ...PERHAPS_OF_RUN,
  },
  recipe_error: { session_id: optional(uuid), error: said, ...PERHAPS_OF_RUN },
  turn_complete: { session_id: uuid, aborted: optional(yes) },
  ack: { message: said, session_id: optional(uuid) },
  error: { message: said, code: optional(said), session_id: optional(uuid) },
  pong: {},
};

function fits(value, fields) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  for (const [name, form] of Object.entries(fields)) {
    if (!form.optional && !(name in value)) throw new Error(`no \`${name}\` in ${JSON.stringify(value)}`);
    if (!form(value[name])) throw new Error(`\`${name}\` is wrong in ${JSON.stringify(value)}`);
  }
  return true;
}

function decode(data, isBinary) {
  assert.ok(!isBinary, "the server sends text");
  const message = JSON.parse(data.toString("utf8"));
  const form = FORMS[message.type];
  assert.ok(form, `nobody knows \`${message.type}\``);
  fits(message, form);
  return message;
}

// ---------------------------------------------------------------------------------------------------------------------
// The app's own picture: it outlives its sockets

class App {
  constructor(ready) {
    this.url = ready.ws_url;
    this.key = readFileSync(ready.key_file, "utf8").trim();
    // Which recipe each session shows; what is collected for it; and the one timer for all.
    this.activeRecipes = new Map();
    this.pending = new Map();
    this.timer = null;
    this.begun = new Set();
    this.shownBegun = new Set();
    this.shownEnded = new Set();
    // The conversations, by session and offset.
    this.rows = new Map();
    this.nextOffset = new Map();
    this.signature = new Map();
    this.deleted = 0;
    this.pings = 0;
    this.pongs = 0;
  }

  /** Opens a socket and hears the greeting. */
  async dial(path = "") {
    this.heard = [];
    this.broken = null;
    this.socket = new WebSocket(this.url + path);
    this.socket.on("message", (data, isBinary) => {
      try {
        const message = decode(data, isBinary);
        this.hear(message);
        this.heard.push(message);
      } catch (error) {
        this.broken ??= error;
      }
      this.wake?.();
    });
    this.closed = new Promise((resolve) => this.socket.on("close", (code) => resolve(code)));
    this.socket.on("error", (error) => { this.broken ??= error; this.wake?.(); });
    return this.next(0, (message) => message.type === "hello");
  }

  async connect(version = "0.5.0") {
    const from = this.heard.length;
    this.send({ type: "connect", api_key: this.key, protocol_version: version, recent_sessions_limit: 5 });
    await this.next(from, (message) => message.type === "available_recipes");
    return from;
  }

  send(message) {
    if (message.type === "ping") this.pings += 1;
    this.socket.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  /** The first message from this place on that is meant. */
  async next(from, is) {
    const late = Date.now() + PATIENCE;
    for (;;) {
      if (this.broken) throw this.broken;
      const found = this.heard.slice(from).find(is);
      if (found) return found;
      const kinds = this.heard.map((message) => message.type).join(", ");
      assert.ok(Date.now() < late, `something did not come; before that: ${kinds}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 500);
        this.wake = () => { clearTimeout(timer); resolve(); };
      });
    }
  }

  /** Asks whether anybody is there; everything that was sent before the answer has been heard then. */
  async settle() {
    const from = this.heard.length;
    this.send({ type: "ping" });
    await this.next(from, () => this.pongs >= this.pings);
  }

  /** Waits until what was collected is shown. */
  async shown() {
    while (this.timer) await new Promise((resolve) => setTimeout(resolve, DEBOUNCE / 4));
  }

  hear(message) {
    switch (message.type) {
      case "pong":
        this.pongs += 1;
        break;
      case "recipe_started":
        this.begun.add(message.run_id);
        this.collect(message.session_id, { run: message.run_id, step: message.current_step, count: message.step_count });
        break;
      case "recipe_exited":
        this.collect(message.session_id, null);
        break;
      case "session_history":
        this.history(message);
        break;
      default:
    }
  }

  collect(session, recipe) {
    this.pending.set(session, recipe);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(), DEBOUNCE);
  }

  show() {
    this.timer = null;
    for (const [session, recipe] of this.pending) {
      const before = this.activeRecipes.get(session);
      if (recipe) {
        this.activeRecipes.set(session, recipe);
        this.shownBegun.add(recipe.run);
      } else {
        this.activeRecipes.delete(session);
        if (before) this.shownEnded.add(before.run);
      }
    }
    this.pending.clear();
  }

  history(frame) {
    const { session_id: session, next_offset: next } = frame;
    const rows = this.rows.get(session) ?? new Map();
    this.rows.set(session, rows);
    this.signature.set(session, frame.file_signature);
    for (const message of frame.messages) {
      assert.equal(message.session_id, session);
      assert.equal(message.seq, message.offset + 1);
      assert.equal(message.id, message.uuid);
      const known = rows.get(message.offset);
      assert.ok(!known || known.uuid === message.uuid, `two messages have offset ${message.offset}`);
      rows.set(message.offset, message);
    }
    if (frame.messages.length > 0) {
      assert.equal(frame.first_seq, frame.messages[0].seq);
      assert.equal(frame.last_seq, frame.messages.at(-1).seq);
      assert.equal(next, frame.messages.at(-1).offset + 1);
    }
    assert.equal(frame.is_complete, frame.end_of_file);
    if (next < (this.nextOffset.get(session) ?? 0)) {
      for (const offset of [...rows.keys()].filter((offset) => offset >= next)) {
        rows.delete(offset);
        this.deleted += 1;
      }
    }
    this.nextOffset.set(session, next);
  }

  /** A conversation in order. */
  conversation(session) {
    const rows = this.rows.get(session) ?? new Map();
    return [...rows.keys()].sort((a, b) => a - b).map((offset) => rows.get(offset));
  }

  /** What holds for every conversation. */
  isWhole(session) {
    const rows = this.conversation(session);
    const ids = new Set(rows.map((row) => row.uuid));
    const inOrder = rows.every((row, index) => index === 0 || rows[index - 1].timestamp <= row.timestamp);
    return ids.size === rows.length && inOrder && rows.every((row, index) => row.offset === index)
      && rows.length === this.nextOffset.get(session);
  }

  async leave() {
    this.socket.close(1000);
    return this.closed;
  }
}

const kinds = (messages) => messages.map((message) => message.type);
const kindIs = (...names) => (message) => names.includes(message.type);
// It is only rehearsed, so any directory does that agents may work in.
const wish = (ready) => ({
  type: "start_recipe", session_id: null, recipe_id: "implement-and-review", working_directory: ready.data_dir,
});

// ---------------------------------------------------------------------------------------------------------------------
// The walk

/** From the greeting through a retry to the end. */
async function wholeRun(ready) {
  const app = new App(ready);
  const hello = await app.dial();
  check("the greeting comes first", app.heard[0] === hello);
  check("it has the documented fields and no others",
    Object.keys(hello).sort().join() === "auth_version,instructions,message,type,version");
  check("its version is one that the app takes", hello.version === "0.5.0");
  const from = await app.connect();
  await app.settle();
  const coming = ["connected", "session_list", "recent_sessions", "available_commands", "available_recipes", "pong"];
  check("what comes unasked comes in order", kinds(app.heard.slice(from)).join() === coming.join());
  const offered = app.heard.find(kindIs("available_recipes"));
  check("recipes are on offer", offered.enabled && offered.recipes.some(({ id }) => id === "implement-and-review"));

  const start = app.heard.length;
  app.send(wish(ready));
  const exited = await app.next(start, kindIs("recipe_exited"));
  const after = app.heard.indexOf(exited);
  await app.next(after, kindIs("turn_complete"));
  const told = app.heard.slice(start);
  const opening = ["recipe_started", "session_created", "recent_sessions", "session_ready", "ack", "recipe_step_started"];
  check("a new session is told in order", kinds(told).slice(0, 6).join() === opening.join());
  const session = exited.session_id;
  check("everything is about the one session", told.every((message) => (message.session_id ?? session) === session));
  const retry = told.find(kindIs("orchestration_retry"));
  check("a reply that cannot be read is asked for again",
    retry?.attempt === 1 && retry.max_attempts >= 1 && retry.step === "implement");
  const steps = told.filter(kindIs("recipe_started")).map((step) => `${step.step_count} ${step.current_step}`);
  check("each step is told", steps.join() === "1 implement,2 code-review,3 commit");
  const moved = told.filter(kindIs("recipe_step_transition")).map((move) => `${move.from_step} ${move.to_step}`);
  check("each transition is told", moved.join() === "implement code-review,code-review commit");
  check("the run ends as it should", exited.reason === "task-committed" && exited.category === "completed");
  const seqs = told.filter((message) => message.seq && message.run_id === exited.run_id).map(({ seq }) => seq);
  check("numbers within the run only go up", seqs.every((seq, index) => index === 0 || seqs[index - 1] <= seq));
  await app.shown();
  check("the app showed the beginning", app.shownBegun.has(exited.run_id));
  check("the app showed the end", app.shownEnded.has(exited.run_id) && app.activeRecipes.size === 0);

  check("the conversation has no gaps", app.isWhole(session));
  const rows = app.conversation(session);
  check("it begins with a prompt and ends with how it went",
    rows[0].role === "user" && rows.at(-1).role === "assistant" && rows.at(-1).text.includes(exited.message));
  const reports = rows.filter((row) => row.role === "assistant" && row.text.includes('"outcome"'));
  const aloud = (row) => row.text.split("```").filter((_, index) => index % 2 === 0).join("");
  check("no outcome is spoken aloud", reports.length === 3 && reports.every((row) => !aloud(row).includes("{")));
  await whatIsNoMessage(app);
  await prompts(app, session);
  check("a goodbye is answered", (await app.leave()) === 1000);
  check("nothing was deleted", app.deleted === 0);
  check("one run began", app.begun.size === 1);
}

async function whatIsNoMessage(app) {
  for (const garbage of ["{", "[]", "null", "{}", '{"type":7}', '{"type":"dance"}', Buffer.from([0, 255, 1])]) {
    const from = app.heard.length;
    app.send(garbage);
    await app.settle();
    check(`${Buffer.isBuffer(garbage) ? "bytes" : garbage} is refused, and the socket stays`,
      kinds(app.heard.slice(from)).join() === "error,pong");
  }
  const pongs = app.pongs;
  for (let ping = 0; ping < 25; ping += 1) app.send({ type: "ping" });
  await app.settle();
  check("every ping has one answer", app.pongs === pongs + 26 && app.pings === app.pongs);
  const answer = new Promise((resolve) => app.socket.once("pong", resolve));
  app.socket.ping("of the protocol itself");
  check("so has one of the WebSocket protocol", (await answer).toString() === "of the protocol itself");
}

async function prompts(app, session) {
  const words = "  Grüße,\n\t\"you\" \u{1F980} \\ ";
  const from = app.heard.length;
  app.send({ type: "prompt", text: words, resume_session_id: session });
  await app.next(from, kindIs("turn_complete"));
  const [prompt, answer] = app.conversation(session).slice(-2);
  check("a prompt is shown as it was written", prompt.role === "user" && prompt.text === words);
  check("and answered", answer.role === "assistant" && app.heard.slice(from).some(kindIs("ack")) && app.isWhole(session));
}

/** A run that a guardrail ends, with a socket that breaks in between. */
async function brokenSocket(ready) {
  const app = new App(ready);
  const watcher = new App(ready);
  await watcher.dial("/ws");
  await watcher.connect("0.4.0");
  check("an older client is served too",
    watcher.heard.find(kindIs("connected")).negotiated_protocol_version === "0.4.0");
  await app.dial();
  await app.connect();
  app.send(wish(ready));
  const second = await app.next(0, (message) => message.type === "recipe_started" && message.step_count === 2);
  const session = second.session_id;
  await app.shown();
  check("the app shows the step", app.activeRecipes.get(session)?.count >= 2);
  app.socket.terminate();
  await app.closed;

  await app.dial("/ws");
  const from = await app.connect();
  await app.settle();
  const states = app.heard.slice(from).filter(kindIs("recipe_started", "recipe_exited"));
  check("what goes on is told to whoever comes back", states[0]?.session_id === session
    && states[0].type === "recipe_started" && states[0].run_id === second.run_id && states[0].step_count >= 2);
  const before = app.conversation(session).length;
  app.send({
    type: "subscribe", session_id: session, from_offset: app.nextOffset.get(session),
    file_signature_seen: app.signature.get(session),
  });
  const rest = await app.next(from, kindIs("session_history"));
  check("the rest of the conversation begins where the app is",
    (rest.messages[0]?.offset ?? before) === before && rest.file_replaced === undefined);
  const exited = await app.next(from, kindIs("recipe_exited"));
  check("a guardrail ends it",
    exited.reason === "max-step-visits-exceeded:code-review" && exited.category === "guardrail" && !exited.goal_met);
  await app.next(app.heard.indexOf(exited), kindIs("turn_complete"));
  await app.settle();
  await app.shown();
  check("the app showed the beginning and the end",
    app.shownBegun.has(exited.run_id) && app.shownEnded.has(exited.run_id) && app.activeRecipes.size === 0);
  check("the conversation has no gaps over both sockets", app.isWhole(session));

  await watcher.next(0, kindIs("recipe_exited"));
  check("who only watches hears of the run, and not what is said", !watcher.heard.some(kindIs("session_history")));
  await watcher.shown();
  check("and shows it", watcher.shownBegun.has(exited.run_id) && watcher.shownEnded.has(exited.run_id));
  await history(ready, app, session, exited);
  check("nothing was deleted", app.deleted + watcher.deleted === 0);
  check("every run that began was shown, and so was its end", [app, watcher].every((client) =>
    [...client.begun].every((run) => client.shownBegun.has(run) && client.shownEnded.has(run))));
  await Promise.all([app.leave(), watcher.leave()]);
}

/** All of a conversation, for both versions of the protocol, from nothing and from the middle. */
async function history(ready, app, session, exited) {
  const all = app.conversation(session);
  const middle = Math.floor(all.length / 2);
  const cursors = [
    ["0.5.0", { from_offset: 0 }, 0],
    ["0.5.0", { from_offset: middle, file_signature_seen: app.signature.get(session) }, middle],
    ["0.4.0", { last_seq: 0 }, 0],
    ["0.4.0", { last_seq: middle }, middle],
    ["0.5.0", {}, 0],
  ];
  for (const [version, cursor, first] of cursors) {
    const reader = new App(ready);
    await reader.dial();
    const from = await reader.connect(version);
    await reader.settle();
    const states = reader.heard.slice(from).filter(kindIs("recipe_started", "recipe_exited"));
    check("the end of the run is told to whoever comes",
      states.length === 1 && states[0].type === "recipe_exited" && states[0].reason === exited.reason);
    reader.send({ type: "subscribe", session_id: session, ...cursor });
    const frame = await reader.next(from, kindIs("session_history"));
    check(`${version} ${JSON.stringify(Object.keys(cursor))} from ${first} gets what is missing`,
      JSON.stringify(frame.messages) === JSON.stringify(all.slice(first)) && frame.end_of_file
      && frame.next_offset === all.length && frame.next_seq === all.length + 1);
    await reader.leave();
  }
}

const stuck = setTimeout(() => {
  console.error("the walk takes longer than a minute");
  process.exit(1);
}, 60_000);
try {
  const [retrying, guarded] = lines.map((line) => JSON.parse(line));
  await wholeRun(retrying);
  await brokenSocket(guarded);
  console.log(`ok: ${checks} checks`);
  clearTimeout(stuck);
} catch (error) {
  console.error(error.stack ?? String(error));
  process.exit(1);
}
