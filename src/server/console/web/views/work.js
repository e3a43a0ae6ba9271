// The sessions in which an agent is at work, each with a Stop button.

import { fill, h } from "../dom.js";
import { icon } from "../icons.js";
import { sofar } from "../words.js";
import { WorkWatch } from "../work.js";
import { Stop } from "./stop.js";

// How often running times are redrawn.
const TICK_INTERVAL_MS = 1000;

// How long no Stop can be clicked after a row was removed: long enough for the user to notice.
const SETTLE_DELAY_MS = 600;

export class WorkList {
  // By session. A row keeps its element while it is listed: the user may be about to press its
  // button.
  #rows = new Map();

  constructor(state) {
    this.state = state;
    this.list = h("ul", {});
    this.heading = h("h2", { tabindex: "-1" }, "Running now");
    this.none = h("li", { class: "hint none" }, "Nothing at the moment.");
    this.stopped = h("p", { class: "unseen", role: "status" });
    this.element = h("section", { class: "work", "aria-label": "Running now" }, this.heading, this.list, this.stopped);
    this.watch = new WorkWatch(state, (lines) => this.#show(lines));
    this.ticking = setInterval(() => this.#each((row) => row.draw()), TICK_INTERVAL_MS);
  }

  leave() {
    clearInterval(this.ticking);
    clearTimeout(this.settling);
    this.watch.leave();
  }

  stateChanged(what) {
    if (what === "recipes") this.#each((row) => row.draw());
    // The request may have been lost or refused.
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
    // A disabled button has lost the focus already.
    const lost = row.element.contains(document.activeElement) || (row.stop.pressed && document.activeElement === document.body);
    if (row.stop.pressed) this.stopped.textContent = `Stopped: ${row.name}`;
    this.#rows.delete(session);
    row.element.remove();
    this.#unsettle();
    // Not to a button: a key may still be held down.
    if (lost) this.heading.focus({ preventScroll: true });
  }

  // The rows after a removed one have moved: a click that was meant for its Stop would stop another
  // session. Keys still work, since the focus does not move to another button.
  #unsettle() {
    clearTimeout(this.settling);
    this.list.classList.add("unsettled");
    this.settling = setTimeout(() => this.list.classList.remove("unsettled"), SETTLE_DELAY_MS);
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
    this.draw();
    this.stop.show(line, this.name);
  }

  // Only texts that have changed are redrawn, so as not to disturb the reader.
  draw() {
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
