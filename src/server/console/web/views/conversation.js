// What was said in a session: prompts folded, replies as Markdown. New words are added; nothing is drawn twice.

import { fill, h } from "../dom.js";
import { rendered } from "../markdown.js";
import { moment } from "../words.js";

// How many messages are drawn before the browser may do something else.
const AT_ONCE = 50;

// How near to the end somebody has to be to be taken along, in pixels.
const NEAR = 80;

// What the server itself notes about a prompt.
const MARKS = { not_delivered: "Not delivered", not_answered: "Not answered" };

export class Conversation {
  #rows = [];
  #messages = [];
  #waiting = new Set();
  #withdrawn = new Set();
  #drawing = false;
  #earlier = false;
  #atEnd = true;
  #ended = Infinity;

  // What was said before `since` is only shown when it is asked for.
  constructor(since) {
    this.since = since;
    this.list = h("ol", { role: "log", "aria-label": "What was said", tabindex: "0" });
    this.before = h("button", { class: "earlier", hidden: true, onclick: () => this.#showEarlier() });
    this.after = h("li", { class: "after" }, "after this run");
    this.latest = h("button", { class: "latest", hidden: true, onclick: () => this.#toEnd() }, "↓ Latest");
    this.list.addEventListener("scroll", () => this.#scrolled());
    // Other things come and go below it; whoever was at the end stays there.
    new ResizeObserver(() => this.#atEnd && this.#toEnd()).observe(this.list);
    this.element = h("div", { class: "conversation" }, this.before, this.list, this.latest);
  }

  // Shows these messages, some at a time: which of them still wait to be heard, which were only said after the run had ended, and
  // which will never be heard. Whoever has scrolled up stays where they are.
  show(messages, waiting, ended, withdrawn = []) {
    this.#messages = messages;
    this.#ended = ended;
    this.#waiting = new Set(waiting);
    this.#withdrawn = new Set(withdrawn);
    for (const row of this.#rows) this.#mark(row);
    this.#divide();
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    // A conversation may turn out to be another one, or to have something where nothing was known yet.
    const known = this.#rows.findIndex(({ message }, offset) => message !== this.#messages[offset]);
    for (const { element } of known < 0 ? [] : this.#rows.splice(known)) element?.remove();
    const until = Math.min(this.#messages.length, this.#rows.length + AT_ONCE);
    const added = document.createDocumentFragment();
    for (let offset = this.#rows.length; offset < until; offset += 1) {
      const message = this.#messages[offset];
      const row = { message, ...(message && drawn(message)) };
      if (row.element) {
        row.element.hidden = !this.#earlier && row.at < this.since;
        added.append(row.element);
      }
      this.#mark(row);
      this.#rows.push(row);
    }
    this.list.append(added);
    this.#divide();
    this.#countEarlier();
    if (this.#atEnd) this.#toEnd();
    else this.latest.hidden = false;
    this.#drawing = this.#rows.length < this.#messages.length;
    if (this.#drawing) requestAnimationFrame(() => this.#draw());
  }

  #mark({ message, tag }) {
    if (!tag) return;
    // It says so itself once it is read again; until then its run does.
    const withdrawn = message.delivered === false || this.#withdrawn.has(message.uuid);
    tag.hidden = !withdrawn && !this.#waiting.has(message.uuid);
    tag.textContent = withdrawn ? "not delivered" : "waits for the next step";
  }

  // What was said in its session after a run had ended, in another run say, is not its own.
  #divide() {
    const first = this.#ended < Infinity && this.#rows.find(({ element, at }) => element && at > this.#ended);
    if (!first) this.after.remove();
    else if (first.element.previousSibling !== this.after) first.element.before(this.after);
  }

  #countEarlier() {
    const hidden = this.#rows.filter(({ element }) => element?.hidden).length;
    this.before.hidden = hidden === 0;
    fill(this.before, `Show what was said before this run (${hidden})`);
  }

  #showEarlier() {
    this.#earlier = true;
    for (const { element } of this.#rows) if (element) element.hidden = false;
    this.#countEarlier();
    // The button is gone now.
    this.list.focus({ preventScroll: true });
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.list;
    this.#atEnd = scrollHeight - scrollTop - clientHeight < NEAR;
    this.latest.hidden = this.#atEnd;
  }

  #toEnd() {
    this.#atEnd = true;
    this.list.scrollTop = this.list.scrollHeight;
    this.latest.hidden = true;
  }
}

// A message as an element, with its time; and with the tag of one that may wait.
function drawn({ role, text, timestamp, mark }) {
  const at = Date.parse(timestamp);
  const time = h("time", { datetime: timestamp }, moment(timestamp));
  const marked = MARKS[mark];
  if (marked) {
    // The heading says so already.
    const words = text.startsWith(`${marked}:`) ? text.slice(marked.length + 1).trim() : text;
    return { at, element: h("li", { class: "mark" }, h("p", { class: "who" }, h("strong", {}, marked), time), h("p", {}, words)) };
  }
  if (role === "assistant") {
    const words = h("div", { class: "words" }, rendered(text));
    return { at, element: h("li", { class: "assistant" }, h("p", { class: "who" }, "Agent", time), words) };
  }
  const tag = h("span", { class: "tag", hidden: true });
  // Two lines, since the first may only be a heading.
  const first = text.trim().split(/\n+/, 2).join(" ").slice(0, 200);
  const words = h("details", {}, h("summary", {}, first || "(nothing)"), h("pre", { tabindex: "0" }, text));
  return { at, tag, element: h("li", { class: "user" }, h("p", { class: "who" }, h("span", {}, "Prompt ", tag), time), words) };
}
