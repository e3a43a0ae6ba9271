// The WebSocket: it authenticates with the key, reconnects automatically, and reports its state.

const VERSION = "0.5.0";
// What the page announces: it gets a message when agents may work on something else, the end of a
// run without the pause before it, and what each event changes in the view of its run.
const ANNOUNCED = { work: true, spacing: false, view: 1 };
const PING_INTERVAL_MS = 25_000;
const PONG_TIMEOUT_MS = 20_000;
// The same where the connection is in doubt, such as after the browser was offline.
const CHECK_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 10_000;
// The server closes the connection on a larger message.
const MAX_MESSAGE_BYTES = 256 * 1024;
const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;
// Events after which the connection may be gone, or a new one possible.
const WAKE_EVENTS = [[globalThis, "online"], [globalThis, "offline"], [document, "visibilitychange"]];

// The connection ended before the answer arrived: the server may have carried out the request.
export class Lost extends Error {}

// Events: `state` (the state has changed), `message` (the server sent a message that does not
// answer a request).
export class Connection extends EventTarget {
  // `off`, `connecting`, `on`, `waiting` (for the next attempt) or `refused` (the key is wrong).
  state = "off";
  // Whether this page may widen what runs do, and trust repositories. The server allows it only to
  // a page on its own machine.
  mayWiden = false;
  #socket = null;
  #failures = 0;
  // The pending requests, by id.
  #pending = new Map();
  #lastRequestId = 0;

  constructor(address, key) {
    super();
    this.address = address;
    this.key = key;
    // Reconnects now instead of after the backoff, or checks that the connection still works.
    this.wake = () => {
      if (this.state === "waiting") this.open();
      else if (this.state === "on") this.#ping(CHECK_TIMEOUT_MS);
    };
  }

  open() {
    this.#end();
    const socket = new WebSocket(this.address);
    this.#socket = socket;
    this.timer = setTimeout(() => this.#lost(), CONNECT_TIMEOUT_MS);
    for (const [target, event] of WAKE_EVENTS) target.addEventListener(event, this.wake);
    // A retry keeps the state `waiting`; only the first attempt is shown as `connecting`.
    if (this.state !== "waiting") this.#setState("connecting");
    socket.onmessage = ({ data }) => socket === this.#socket && this.#receive(JSON.parse(data));
    socket.onclose = () => socket === this.#socket && this.#lost();
  }

  // Closes it for good.
  close() {
    this.#stop("off");
  }

  // The server rejected the key.
  refuse() {
    this.#stop("refused");
  }

  // Sends a message. Returns `null`, or why it could not be sent, as a text for the user.
  send(message) {
    if (this.state !== "on") return "There is no connection to the server right now; nothing was sent.";
    const text = JSON.stringify(message);
    if (new Blob([text]).size > MAX_MESSAGE_BYTES) return "This message is too long to send. Put it into a file and name the file instead.";
    this.#socket.send(text);
    return null;
  }

  // Sends a request, and resolves with the `ack` that carries its id, or rejects with the server's
  // error. With `answer`, it resolves with the message of that type that precedes the `ack`.
  async request(message, answer = null) {
    const id = String(++this.#lastRequestId);
    const problem = this.send({ ...message, request_id: id });
    if (problem) throw new Error(problem);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject, answer, received: null }));
  }

  #receive(message) {
    clearTimeout(this.unanswered);
    if (this.#answers(message)) return;
    switch (message.type) {
      case "hello":
        this.#socket.send(JSON.stringify({ type: "connect", api_key: this.key, protocol_version: VERSION, recent_sessions_limit: 5, ...ANNOUNCED }));
        break;
      case "connected":
        this.#failures = 0;
        this.mayWiden = message.may_widen === true;
        clearTimeout(this.timer);
        this.pinging = setInterval(() => this.#ping(PONG_TIMEOUT_MS), PING_INTERVAL_MS);
        this.#setState("on");
        break;
      case "auth_error":
        this.refuse();
        return;
    }
    this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  // Whether this message answers a request. If so, the rest of the page does not get it.
  #answers({ type, request_id: id, message, ...ack }) {
    const request = this.#pending.get(id);
    if (!request) return this.#keepAnswer(type, ack);
    this.#pending.delete(id);
    if (type === "error") request.reject(new Error(message));
    else request.resolve(request.received ?? ack);
    return true;
  }

  // Keeps the answer of a request until its `ack`. The server answers requests in order, so it
  // belongs to the first one that expects this type.
  #keepAnswer(type, answer) {
    const request = [...this.#pending.values()].find((one) => one.answer === type && one.received === null);
    if (request) request.received = answer;
    return Boolean(request);
  }

  // A connection can die silently, such as while a laptop sleeps. One unanswered ping ends it.
  #ping(timeout) {
    clearTimeout(this.unanswered);
    this.unanswered = setTimeout(() => this.#lost(), timeout);
    this.send({ type: "ping" });
  }

  #lost() {
    const backoff = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** this.#failures++);
    this.#end();
    this.timer = setTimeout(() => this.open(), backoff);
    this.#setState("waiting");
  }

  #stop(state) {
    for (const [target, event] of WAKE_EVENTS) target.removeEventListener(event, this.wake);
    this.#setState(state);
    this.#end();
  }

  #end() {
    clearTimeout(this.timer);
    clearTimeout(this.unanswered);
    clearInterval(this.pinging);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    for (const { reject } of this.#pending.values()) reject(new Lost("The connection was lost."));
    this.#pending.clear();
  }

  #setState(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}
