// The WebSocket: it shows the key, comes back by itself when it is lost, and says at any time how it stands.

const VERSION = "0.5.0";
// What the page wants to be sent: when agents may work on something else, a run's end without a pause before it, and what every event
// changes in how its run is shown.
const ANNOUNCED = { work: true, spacing: false, view: 1 };
const PING_EVERY = 25_000;
// How long an answer to a ping may take; how long where there is reason to doubt that anybody is there; how long an attempt may take.
const ANSWERED_IN = 20_000;
const DOUBTED_FOR = 5_000;
const CONNECTED_IN = 10_000;
// The server takes no larger message, and closes the connection on one.
const LARGEST = 256 * 1024;
const FIRST_WAIT = 250;
const LONGEST_WAIT = 5_000;
// What may mean that a connection has gone, or that one can be had again.
const WAKING = [[globalThis, "online"], [globalThis, "offline"], [document, "visibilitychange"]];

// The connection ended before an answer came: what was asked for may have been done all the same.
export class Lost extends Error {}

// Events: `state` (how it stands has changed), `message` (the server said something that is not the answer to a request).
export class Connection extends EventTarget {
  // `off`, `connecting`, `on`, `waiting` (for the next attempt) or `refused` (the key is wrong).
  state = "off";
  // Whether the server accepts from this page what widens a run, and trust in repositories: only a page on its own machine may.
  mayWiden = false;
  #socket = null;
  #failures = 0;
  // The requests that are not answered yet, by their ids.
  #asked = new Map();
  #requests = 0;

  constructor(address, key) {
    super();
    this.address = address;
    this.key = key;
    // Tries now rather than later, and makes sure of what seems to be there.
    this.wake = () => {
      if (this.state === "waiting") this.open();
      else if (this.state === "on") this.#ping(DOUBTED_FOR);
    };
  }

  open() {
    this.#end();
    const socket = new WebSocket(this.address);
    this.#socket = socket;
    this.timer = setTimeout(() => this.#lost(), CONNECTED_IN);
    for (const [target, event] of WAKING) target.addEventListener(event, this.wake);
    // A retry that fails looks the same as the wait before it; only the first attempt is news.
    if (this.state !== "waiting") this.#become("connecting");
    socket.onmessage = ({ data }) => socket === this.#socket && this.#hear(JSON.parse(data));
    socket.onclose = () => socket === this.#socket && this.#lost();
  }

  // Closes it for good.
  close() {
    this.#stop("off");
  }

  // The key is not taken any longer.
  refuse() {
    this.#stop("refused");
  }

  // Says something. Where nobody hears it, what keeps it from being heard comes back, in words.
  say(message) {
    if (this.state !== "on") return "There is no connection to the server right now; nothing was done.";
    const text = JSON.stringify(message);
    if (new Blob([text]).size > LARGEST) return "That is too long to be sent at once; put it into a file, and say where that is.";
    this.#socket.send(text);
    return null;
  }

  // Asks for something, and gives the `ack` that carries the request's id back; or throws what keeps it from being done, in words. Where
  // an answer of its own comes before the `ack`, of the type `answer`, it is given back instead.
  async request(message, answer = null) {
    const id = String(++this.#requests);
    const problem = this.say({ ...message, request_id: id });
    if (problem) throw new Error(problem);
    return new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject, answer, told: null }));
  }

  #hear(message) {
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
        this.pinging = setInterval(() => this.#ping(ANSWERED_IN), PING_EVERY);
        this.#become("on");
        break;
      case "auth_error":
        this.refuse();
        return;
    }
    this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  // Whether this is the answer to a request. It is no news for the rest of the page then.
  #answers({ type, request_id: id, message, ...ack }) {
    const request = this.#asked.get(id);
    if (!request) return this.#tells(type, ack);
    this.#asked.delete(id);
    if (type === "error") request.reject(new Error(message));
    else request.resolve(request.told ?? ack);
    return true;
  }

  // Whether this is what a request has asked for. The server answers requests in their order.
  #tells(type, answer) {
    const request = [...this.#asked.values()].find((one) => one.answer === type && one.told === null);
    if (request) request.told = answer;
    return Boolean(request);
  }

  // A connection may be gone without a word, after a laptop was asleep say. Whoever does not answer one ping gets no second.
  #ping(patience) {
    clearTimeout(this.unanswered);
    this.unanswered = setTimeout(() => this.#lost(), patience);
    this.say({ type: "ping" });
  }

  #lost() {
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#failures++);
    this.#end();
    this.timer = setTimeout(() => this.open(), wait);
    this.#become("waiting");
  }

  #stop(state) {
    for (const [target, event] of WAKING) target.removeEventListener(event, this.wake);
    this.#become(state);
    this.#end();
  }

  #end() {
    clearTimeout(this.timer);
    clearTimeout(this.unanswered);
    clearInterval(this.pinging);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    for (const { reject } of this.#asked.values()) reject(new Lost("The connection was lost."));
    this.#asked.clear();
  }

  #become(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}
