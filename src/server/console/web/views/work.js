// The sessions in which an agent is at work, each with its Stop.

import { fill, h } from "../dom.js";
import { icon } from "../icons.js";
import { sofar } from "../words.js";
import { WorkWatch } from "../work.js";
import { Stop } from "./stop.js";

// How often it is told anew for how long, in milliseconds.
const TICK = 1000;

// For how long no Stop can be clicked after a row went, in milliseconds: longer than a hand needs to notice.
const SETTLED_IN = 600;

export class WorkList {
  // By session. A row stays the same element for as long as it is there: somebody may be about to press its button.
  #rows = new Map();

  constructor(state) {
    this.state = state;
    this.list = h("ul", {});
    this.heading = h("h2", { tabindex: "-1" }, "Running now");
    this.none = h("li", { class: "hint none" }, "Nothing at the moment.");
    this.stopped = h("p", { class: "unseen", role: "status" });
    this.element = h("section", { class: "work", "aria-label": "Running now" }, this.heading, this.list, this.stopped);
    this.watch = new WorkWatch(state, (lines) => this.#show(lines));
    this.ticking = setInterval(() => this.#each((row) => row.tell()), TICK);
  }

  leave() {
    clearInterval(this.ticking);
    clearTimeout(this.settling);
    this.watch.leave();
  }

  hear(what) {
    if (what === "recipes") this.#each((row) => row.tell());
    // What was asked for may have got lost, or been refused.
    if (what === "connection" || what === "notice") this.#each((row) => row.stop.answered());
  }

  #show(lines) {
    const gone = new Map(this.#rows);
    for (const line of lines) {
      const row = this.#rows.get(line.session_id) ?? new Row(this.state);
      gone.delete(line.session_id);
      this.#rows.set(line.session_id, row);
      row.show(line);
      if (!row.element.isConnected) this.list.append(row.element);
    }
    for (const [session, row] of gone) this.#drop(session, row);
    if (lines.length > 0) this.none.remove();
    else if (!this.none.isConnected) fill(this.list, this.none);
  }

  #drop(session, row) {
    // A button that cannot be pressed any more has lost the focus already.
    const lost = row.element.contains(document.activeElement) || (row.stop.pressed && document.activeElement === document.body);
    if (row.stop.pressed) this.stopped.textContent = `Stopped: ${row.name}`;
    this.#rows.delete(session);
    row.element.remove();
    this.#unsettle();
    // To no button: a key may still be held down.
    if (lost) this.heading.focus({ preventScroll: true });
  }

  // The rows after one that went have moved: a click that was on its way to its Stop would stop another session. Keys work
  // all the while, since the focus does not move to another button.
  #unsettle() {
    clearTimeout(this.settling);
    this.list.classList.add("unsettled");
    this.settling = setTimeout(() => this.list.classList.remove("unsettled"), SETTLED_IN);
  }

  #each(act) {
    for (const row of this.#rows.values()) act(row);
  }
}

class Row {
  constructor(state) {
    this.state = state;
    this.stop = new Stop(state);
    this.title = h("strong", {});
    this.rehearsal = h("span", { class: "rehearsal" }, "rehearsal");
    this.hint = h("span", { class: "hint" });
    this.link = h("a", {}, icon("running"), h("span", {}, h("span", { class: "what" }, this.title, " ", this.rehearsal), this.hint));
    this.element = h("li", { class: "running" }, this.link, this.stop.button);
  }

  get name() {
    const { run, chat, name } = this.line;
    return run?.recipe_label ?? (chat.preview || name);
  }

  show(line) {
    this.line = line;
    const { run, session_id: session, working_directory: directory } = line;
    this.link.href = run ? `#/runs/${run.run_id}` : `#/sessions/${session}`;
    this.link.title = directory;
    this.tell();
    this.stop.show(line, this.name);
  }

  // Drawn only where it is new: whoever reads it is not to be disturbed.
  tell() {
    const { run, agent, since, queued, working_directory: directory } = this.line;
    const { state } = this;
    this.rehearsal.hidden = !(run?.rehearsal ?? state.agents.find(({ name }) => name === agent)?.rehearsal);
    const time = `for ${sofar(Math.max(0, Date.now() - Date.parse(since)))}`;
    const parts = [run ? place(state, run) : "chat", directory.split("/").at(-1), time, queued > 0 && `${queued} queued`];
    write(this.title, this.name);
    write(this.hint, parts.filter(Boolean).join(" · "));
  }
}

function place(state, { recipe_id: recipe, step, step_count: number }) {
  const most = state.recipes.find(({ id }) => id === recipe)?.max_steps ?? 0;
  // A limit that was raised allows more than the recipe.
  return `step ${number}${number <= most ? ` of at most ${most}` : ""}: ${step}`;
}

function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}
