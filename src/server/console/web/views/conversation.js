// The conversation of a session: prompts folded, replies as Markdown. New messages are appended;
// none is drawn twice.

import { fill, h } from "../dom.js";
import { rendered } from "../markdown.js";
import { moment } from "../words.js";

// How many messages are drawn per frame, so that the page stays responsive.
const MAX_DRAWN_PER_FRAME = 50;

// How near to its end the list must be scrolled to follow new messages.
const FOLLOW_DISTANCE_PX = 80;

// The server's own notes about a prompt.
const MARKS = { not_delivered: "Not delivered", not_answered: "Not answered" };

export class Conversation {
  #rows = [];
  #messages = [];
  #queued = new Set();
  #withdrawn = new Set();
  #drawing = false;
  #earlier = false;
  #atEnd = true;
  #ended = Infinity;
  // The time of the visit that is to be shown as soon as all messages are drawn.
  #wanted = null;

  // Messages from before `since` are hidden until the user asks for them.
  constructor(since) {
    this.since = since;
    this.list = h("ol", { role: "log", "aria-label": "Messages", tabindex: "0" });
    this.before = h("button", { class: "earlier", hidden: true, onclick: () => this.#showEarlier() });
    this.after = h("li", { class: "after" }, "after this run");
    this.latest = h("button", { class: "latest", hidden: true, onclick: () => this.#toEnd() }, "↓ Latest");
    this.list.addEventListener("scroll", () => this.#scrolled());
    // What is below the list can change its height. A list that is scrolled to its end stays there.
    new ResizeObserver(() => this.#atEnd && this.#toEnd()).observe(this.list);
    this.element = h("div", { class: "conversation" }, this.before, this.list, this.latest);
  }

  // Shows these messages, some at a time. `queued` and `withdrawn` are the ids of prompts that are
  // not delivered yet, or never will be; `ended` is when the run ended. A user who has scrolled up
  // keeps their place.
  show(messages, queued, ended, withdrawn = []) {
    this.#messages = messages;
    this.#ended = ended;
    this.#queued = new Set(queued);
    this.#withdrawn = new Set(withdrawn);
    for (const row of this.#rows) this.#mark(row);
    this.#divide();
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    // The conversation may have been replaced, or a gap in it filled.
    const known = this.#rows.findIndex(({ message }, offset) => message !== this.#messages[offset]);
    for (const { element } of known < 0 ? [] : this.#rows.splice(known)) element?.remove();
    const until = Math.min(this.#messages.length, this.#rows.length + MAX_DRAWN_PER_FRAME);
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
    else if (this.#wanted !== null) this.#reveal();
  }

  // Shows the messages of the visit that began at this time, and moves the focus there.
  reveal(began) {
    this.#wanted = began;
    if (!this.#drawing) this.#reveal();
  }

  #reveal() {
    const began = this.#wanted;
    this.#wanted = null;
    const rows = this.#rows.filter(({ element }) => element && !element.hidden);
    // A visit begins with its prompt, which has the same time. If a step has none, the next message
    // is nearest, or the last one.
    const row = rows.find(({ at, prompt }) => prompt && at === began) ?? rows.find(({ at }) => at >= began) ?? rows.at(-1);
    if (!row) return;
    const { element } = row;
    element.tabIndex = -1;
    element.classList.add("revealed");
    element.addEventListener("blur", () => element.classList.remove("revealed"), { once: true });
    element.focus({ preventScroll: true });
    this.list.scrollTop += element.getBoundingClientRect().top - this.list.getBoundingClientRect().top;
    this.#scrolled();
    // On a small screen the conversation is further down the page.
    this.list.scrollIntoView({ block: "nearest" });
  }

  #mark({ message, tag }) {
    if (!tag) return;
    // The message itself says so once it is read again; until then only its run's view does.
    const withdrawn = message.delivered === false || this.#withdrawn.has(message.uuid);
    tag.hidden = !withdrawn && !this.#queued.has(message.uuid);
    tag.textContent = withdrawn ? "not delivered" : "queued for the next step";
  }

  // Messages after the run's end, such as those of another run in its session, are not part of it.
  #divide() {
    const first = this.#ended < Infinity && this.#rows.find(({ element, at }) => element && at > this.#ended);
    if (!first) this.after.remove();
    else if (first.element.previousSibling !== this.after) first.element.before(this.after);
  }

  #countEarlier() {
    const hidden = this.#rows.filter(({ element }) => element?.hidden).length;
    this.before.hidden = hidden === 0;
    fill(this.before, `Show messages from before this run (${hidden})`);
  }

  #showEarlier() {
    this.#earlier = true;
    for (const { element } of this.#rows) if (element) element.hidden = false;
    this.#countEarlier();
    // The pressed button is hidden now.
    this.list.focus({ preventScroll: true });
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.list;
    this.#atEnd = scrollHeight - scrollTop - clientHeight < FOLLOW_DISTANCE_PX;
    this.latest.hidden = this.#atEnd;
  }

  #toEnd() {
    this.#atEnd = true;
    this.list.scrollTop = this.list.scrollHeight;
    this.latest.hidden = true;
  }
}

// A message as an element, with its time. A prompt also has a tag, for one that is queued.
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
  return { at, tag, prompt: true, element: h("li", { class: "user" }, h("p", { class: "who" }, h("span", {}, "Prompt ", tag), time), words) };
}
