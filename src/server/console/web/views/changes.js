// What a run changed, line by line: all of it, or one turn. It is asked for once the user opens it, and then kept up to date.

import { NotAllowed } from "../api.js";
import { filesOf, seen } from "../diff.js";
import { fill, h } from "../dom.js";
import { Rows } from "./rows.js";

// The first files are open, those that are not long.
const OPEN_FILES = 12;
const OPEN_LINES = 200;

// How a part of a file is drawn.
const ELEMENTS = { added: "ins", removed: "del" };

export class Changes {
  // What the diff that is shown belongs to, and what it has to belong to; one that could not be read belongs to nothing.
  #shown = null;
  #wanted = null;
  // How often it was asked for: an answer that another question has overtaken is not shown.
  #asked = 0;

  constructor(state, id) {
    Object.assign(this, { state, id });
    this.which = h("select", { onchange: () => this.#read() });
    this.choice = h("label", { class: "field", hidden: true }, h("span", {}, "Show"), this.which);
    this.words = h("p", { class: "hint", role: "status" });
    this.files = new Rows(file);
    this.rest = h("p", { class: "hint", hidden: true }, "The rest is left out.");
    this.folded = h("details", { ontoggle: () => this.#refresh() },
      h("summary", {}, h("h2", {}, "Changes, line by line")),
      this.choice, this.words, this.files.element, this.rest);
    this.element = h("section", { class: "card changes", "aria-label": "Changes" }, this.folded);
  }

  show({ view: { turns, proof }, stopped }) {
    this.#wanted = JSON.stringify([turns, proof?.changes, stopped]);
    this.#refresh();
  }

  #refresh() {
    if (this.folded.open && this.#shown !== this.#wanted) this.#read();
  }

  async #read() {
    const asked = ++this.#asked;
    this.#shown = this.#wanted;
    this.element.setAttribute("aria-busy", "true");
    if (!this.files.list.hasChildNodes()) this.words.textContent = "Reading…";
    const read = await this.state.api.diff(this.id, this.which.value).catch((error) => ({ error }));
    if (asked !== this.#asked) return;
    this.element.removeAttribute("aria-busy");
    if (read.error) this.#fail(read.error);
    else this.#draw(read);
  }

  // It is read again as soon as anything is new: after a reconnect, too.
  #fail(error) {
    this.#shown = null;
    if (error instanceof NotAllowed) this.state.connection.refuse();
    this.words.textContent = error.message;
  }

  #draw({ turns, turn, text, cut, unavailable }) {
    this.#offer(turns, turn);
    const files = filesOf(text);
    const kept = turn === null ? "" : "Compared with the last look before this turn: what commands or people changed since then is part of it.";
    const nothing = turn === null ? "Nothing has changed since the run began." : "Nothing has changed in this turn.";
    const isCut = cut && "Only the beginning is shown: all of it is too long.";
    const words = unavailable ? [sentence(unavailable)] : files.length === 0 ? [nothing] : [isCut, kept];
    this.words.textContent = words.filter(Boolean).join(" ");
    this.files.show(files.map((one, index) => ({ ...one, open: index < OPEN_FILES && one.length <= OPEN_LINES })), 0, "");
    this.rest.hidden = !cut;
  }

  // The turns to choose among. They are drawn again only if there are others: the user may be choosing.
  #offer(turns, turn) {
    const offered = JSON.stringify(turns);
    if (this.which.dataset.offered !== offered) {
      this.which.dataset.offered = offered;
      const again = (visit) => turns.filter((one) => one.visit === visit).length > 1;
      const option = ({ turn, visit, step, changed }) => h("option", { value: turn },
        `Step ${visit}: ${step}`, again(visit) && `, turn ${turn}`, !changed && " (nothing changed)");
      fill(this.which, h("option", { value: "" }, "The whole run"), turns.map(option));
      this.which.value = turn ?? "";
    }
    this.choice.hidden = turns.length === 0;
  }
}

// A file, whose lines are drawn when they are to be seen.
function file({ path, from, change, added, removed, parts, open }) {
  const lines = h("pre", { tabindex: "0", role: "group", "aria-label": `Lines of ${seen(path)}` });
  const draw = () => lines.hasChildNodes() || fill(lines, parts.map(part));
  const folded = h("details", { open, ontoggle: draw },
    h("summary", {}, h("code", {}, seen(path)), " ",
      h("span", { class: "hint" }, change, from !== null && [" from ", h("code", {}, seen(from))], ` +${added} −${removed}`)),
    lines);
  if (open) draw();
  lines.hidden = parts.length === 0;
  return h("li", { "data-path": path }, folded);
}

const part = ({ kind, lines }) => h(ELEMENTS[kind] ?? "span", { class: kind }, seen(lines.join("\n")));

const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}.`;
