// A client in another language, with the stock WebSocket library `ws`. It sends the requests that
// the app sends, reads messages as strictly as the app does, and keeps the same state.
//
//   node walk.mjs <folder with node_modules> <ready line: garbage-once> <ready line:
//   never-satisfied>
//
// It prints a line for each check, and `ok: N checks` at the end. If a check fails, it prints why
// and exits with status 1.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, ...lines] = process.argv.slice(2);
const WebSocket = createRequire(join(folder, "package.json"))("ws");

// The time limit of every wait, in milliseconds. A check that reaches it fails.
const TIMEOUT_MS = 20_000;
// How long the app collects updates before it shows them.
const DEBOUNCE_MS = 100;

let checks = 0;
function check(what, holds) {
  assert.ok(holds, `check failed: ${what}`);
  checks += 1;
  console.log(`ok ${checks} - ${what}`);
}

// -------------------------------------------------------------------------------------------------
// Reading, as strictly as the app

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PROVIDERS = ["claude", "copilot", "cursor", "opencode"];

const nonEmpty = (value) => typeof value === "string" && value.length > 0;
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
  session_id: uuid, name: nonEmpty, working_directory: nonEmpty, last_modified: millis, message_count: count, provider,
};
const RECENT = { session_id: uuid, name: nonEmpty, working_directory: nonEmpty, last_modified: moment, provider };
const MESSAGE = {
  session_id: uuid, uuid, role: (role) => role === "user" || role === "assistant", text, timestamp: moment,
  offset: count, seq: ordinal, id: uuid, provider,
};
const FORMS = {
  hello: { message: nonEmpty, version: (version) => /^\d+\.\d+\.\d+$/.test(version), auth_version: count, instructions: nonEmpty },
  connected: { message: nonEmpty, session_id: optional(text), negotiated_protocol_version: nonEmpty },
  session_list: { sessions: list(SESSION), total_count: count },
  recent_sessions: { sessions: list(RECENT), limit: ordinal },
  session_created: { ...SESSION, preview: text },
  session_ready: { session_id: uuid, message: nonEmpty },
  available_commands: { project_commands: empty, general_commands: empty },
  available_recipes: { recipes: list({ id: nonEmpty, label: nonEmpty, description: nonEmpty }), enabled: flag },
  session_history: {
    session_id: uuid, messages: list(MESSAGE), total_count: count,
    // 0.5
    next_offset: count, end_of_file: flag, file_signature: nonEmpty, file_replaced: optional(yes),
    // 0.4
    first_seq: either(ordinal, nothing), last_seq: either(ordinal, nothing), next_seq: ordinal, is_complete: flag,
    gap: nothing,
  },
  recipe_started: {
    session_id: uuid, recipe_id: nonEmpty, recipe_label: nonEmpty, current_step: nonEmpty, step: nonEmpty, step_count: ordinal, ...OF_RUN,
  },
  recipe_step_started: { session_id: uuid, step: nonEmpty, step_count: ordinal, ...OF_RUN },
  recipe_step_transition: { session_id: uuid, from_step: nonEmpty, to_step: nonEmpty, outcome: nonEmpty, ...OF_RUN },
  orchestration_retry: {
    session_id: uuid, step: nonEmpty, error: nonEmpty, attempt: ordinal, max_attempts: ordinal, ...OF_RUN,
  },
  recipe_exited: {
    session_id: uuid, reason: nonEmpty, category: (name) => ["completed", "guardrail", "error"].includes(name),
    message: nonEmpty, error: optional(nonEmpty), goal_met: flag, title: nonEmpty, diagnosis: nonEmpty, auto_resumable: flag,
    description: optional(nonEmpty), step: optional(nonEmpty), step_count: count, recipe_id: optional(nonEmpty),
    ...PERHAPS_OF_RUN,
  },
  recipe_error: { session_id: optional(uuid), error: nonEmpty, ...PERHAPS_OF_RUN },
  turn_complete: { session_id: uuid, aborted: optional(yes) },
  ack: { message: nonEmpty, session_id: optional(uuid) },
  error: { message: nonEmpty, code: optional(nonEmpty), session_id: optional(uuid) },
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
  assert.ok(form, `unknown message type \`${message.type}\``);
  fits(message, form);
  return message;
}

// -------------------------------------------------------------------------------------------------
// The app's state, which outlives its sockets

class App {
  constructor(ready) {
    this.url = ready.ws_url;
    this.key = readFileSync(ready.key_file, "utf8").trim();
    // Which recipe each session shows, the updates collected for each session, and one timer for
    // all sessions.
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

  /** Opens a socket and receives the greeting. */
  async dial(path = "") {
    this.received = [];
    this.broken = null;
    this.socket = new WebSocket(this.url + path);
    this.socket.on("message", (data, isBinary) => {
      try {
        const message = decode(data, isBinary);
        this.receive(message);
        this.received.push(message);
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
    const from = this.received.length;
    this.send({ type: "connect", api_key: this.key, protocol_version: version, recent_sessions_limit: 5 });
    await this.next(from, (message) => message.type === "available_recipes");
    return from;
  }

  send(message) {
    if (message.type === "ping") this.pings += 1;
    this.socket.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  /** Waits for the first message from this index on that matches. */
  async next(from, is) {
    const late = Date.now() + TIMEOUT_MS;
    for (;;) {
      if (this.broken) throw this.broken;
      const found = this.received.slice(from).find(is);
      if (found) return found;
      const kinds = this.received.map((message) => message.type).join(", ");
      assert.ok(Date.now() < late, `a message did not arrive; before that: ${kinds}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 500);
        this.wake = () => { clearTimeout(timer); resolve(); };
      });
    }
  }

  /** Sends a ping and waits for the answer: everything that was sent before it has been received then. */
  async settle() {
    const from = this.received.length;
    this.send({ type: "ping" });
    await this.next(from, () => this.pongs >= this.pings);
  }

  /** Waits until what was collected is shown. */
  async shown() {
    while (this.timer) await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS / 4));
  }

  receive(message) {
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
    this.timer = setTimeout(() => this.show(), DEBOUNCE_MS);
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
// The run is a rehearsal, so any directory that agents may work in will do.
const startRequest = (ready) => ({
  type: "start_recipe", session_id: null, recipe_id: "implement-and-review", working_directory: ready.data_dir,
});

// -------------------------------------------------------------------------------------------------
// The checks

/** From the greeting through a retry to the end. */
async function wholeRun(ready) {
  const app = new App(ready);
  const hello = await app.dial();
  check("the greeting comes first", app.received[0] === hello);
  check("it has the documented fields and no others",
    Object.keys(hello).sort().join() === "auth_version,instructions,message,type,version");
  check("its version is one that the app accepts", hello.version === "0.5.0");
  const from = await app.connect();
  await app.settle();
  const coming = ["connected", "session_list", "recent_sessions", "available_commands", "available_recipes", "pong"];
  check("what every client receives comes in order", kinds(app.received.slice(from)).join() === coming.join());
  const offered = app.received.find(kindIs("available_recipes"));
  check("recipes are on offer", offered.enabled && offered.recipes.some(({ id }) => id === "implement-and-review"));

  const start = app.received.length;
  app.send(startRequest(ready));
  const exited = await app.next(start, kindIs("recipe_exited"));
  const after = app.received.indexOf(exited);
  await app.next(after, kindIs("turn_complete"));
  const published = app.received.slice(start);
  const opening = ["recipe_started", "session_created", "recent_sessions", "session_ready", "ack", "recipe_step_started"];
  check("a new session is published in order", kinds(published).slice(0, 6).join() === opening.join());
  const session = exited.session_id;
  check("everything is about the one session", published.every((message) => (message.session_id ?? session) === session));
  const retry = published.find(kindIs("orchestration_retry"));
  check("a reply that cannot be read is asked for again",
    retry?.attempt === 1 && retry.max_attempts >= 1 && retry.step === "implement");
  const steps = published.filter(kindIs("recipe_started")).map((step) => `${step.step_count} ${step.current_step}`);
  check("each step is published", steps.join() === "1 implement,2 code-review,3 commit");
  const moved = published.filter(kindIs("recipe_step_transition")).map((move) => `${move.from_step} ${move.to_step}`);
  check("each transition is published", moved.join() === "implement code-review,code-review commit");
  check("the run ends as it should", exited.reason === "task-committed" && exited.category === "completed");
  const seqs = published.filter((message) => message.seq && message.run_id === exited.run_id).map(({ seq }) => seq);
  check("numbers within the run only go up", seqs.every((seq, index) => index === 0 || seqs[index - 1] <= seq));
  await app.shown();
  check("the app showed the beginning", app.shownBegun.has(exited.run_id));
  check("the app showed the end", app.shownEnded.has(exited.run_id) && app.activeRecipes.size === 0);

  check("the conversation has no gaps", app.isWhole(session));
  const rows = app.conversation(session);
  check("it begins with a prompt and ends with the result",
    rows[0].role === "user" && rows.at(-1).role === "assistant" && rows.at(-1).text.includes(exited.message));
  const reports = rows.filter((row) => row.role === "assistant" && row.text.includes('"outcome"'));
  const aloud = (row) => row.text.split("```").filter((_, index) => index % 2 === 0).join("");
  check("no outcome is spoken aloud", reports.length === 3 && reports.every((row) => !aloud(row).includes("{")));
  await invalidMessages(app);
  await prompts(app, session);
  check("a close frame is answered", (await app.leave()) === 1000);
  check("nothing was deleted", app.deleted === 0);
  check("one run began", app.begun.size === 1);
}

async function invalidMessages(app) {
  for (const garbage of ["{", "[]", "null", "{}", '{"type":7}', '{"type":"dance"}', Buffer.from([0, 255, 1])]) {
    const from = app.received.length;
    app.send(garbage);
    await app.settle();
    check(`${Buffer.isBuffer(garbage) ? "bytes" : garbage} is refused, and the socket stays open`,
      kinds(app.received.slice(from)).join() === "error,pong");
  }
  const pongs = app.pongs;
  for (let ping = 0; ping < 25; ping += 1) app.send({ type: "ping" });
  await app.settle();
  check("every ping has one answer", app.pongs === pongs + 26 && app.pings === app.pongs);
  const answer = new Promise((resolve) => app.socket.once("pong", resolve));
  app.socket.ping("protocol ping");
  check("a ping of the WebSocket protocol is answered too", (await answer).toString() === "protocol ping");
}

async function prompts(app, session) {
  const words = "  Grüße,\n\t\"you\" \u{1F980} \\ ";
  const from = app.received.length;
  app.send({ type: "prompt", text: words, resume_session_id: session });
  await app.next(from, kindIs("turn_complete"));
  const [prompt, answer] = app.conversation(session).slice(-2);
  check("a prompt is shown as it was written", prompt.role === "user" && prompt.text === words);
  check("and answered", answer.role === "assistant" && app.received.slice(from).some(kindIs("ack")) && app.isWhole(session));
}

/** A run that a guardrail ends, with a socket that breaks in between. */
async function brokenSocket(ready) {
  const app = new App(ready);
  const watcher = new App(ready);
  await watcher.dial("/ws");
  await watcher.connect("0.4.0");
  check("an older client is served too",
    watcher.received.find(kindIs("connected")).negotiated_protocol_version === "0.4.0");
  await app.dial();
  await app.connect();
  app.send(startRequest(ready));
  const second = await app.next(0, (message) => message.type === "recipe_started" && message.step_count === 2);
  const session = second.session_id;
  await app.shown();
  check("the app shows the step", app.activeRecipes.get(session)?.count >= 2);
  app.socket.terminate();
  await app.closed;

  await app.dial("/ws");
  const from = await app.connect();
  await app.settle();
  const states = app.received.slice(from).filter(kindIs("recipe_started", "recipe_exited"));
  check("a client that reconnects gets the current run", states[0]?.session_id === session
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
  await app.next(app.received.indexOf(exited), kindIs("turn_complete"));
  await app.settle();
  await app.shown();
  check("the app showed the beginning and the end",
    app.shownBegun.has(exited.run_id) && app.shownEnded.has(exited.run_id) && app.activeRecipes.size === 0);
  check("the conversation has no gaps over both sockets", app.isWhole(session));

  await watcher.next(0, kindIs("recipe_exited"));
  check("a client that does not subscribe gets the run, but not the conversation", !watcher.received.some(kindIs("session_history")));
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
    const states = reader.received.slice(from).filter(kindIs("recipe_started", "recipe_exited"));
    check("a client that connects later gets the end of the run",
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
  console.error("the checks take longer than a minute");
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
