// What a run changed, line by line: as a whole, or in one turn. It is read when the user opens it,
// and then kept up to date.

import { Unauthorized } from "../api.js";
import { filesOf, visible } from "../diff.js";
import { fill, h } from "../dom.js";
import { Rows } from "./rows.js";

// The first files are unfolded, unless they are long.
const MAX_OPEN_FILES = 12;
const MAX_OPEN_LINES = 200;

// How a part of a file is drawn.
const ELEMENTS = { added: "ins", removed: "del" };

export class Changes {
  // The state of the run that the shown diff belongs to, and the current one. After a failed
  // reading the first is `null`.
  #shown = null;
  #wanted = null;
  // Counts the requests: the answer to one that is not the latest is not shown.
  #requests = 0;

  constructor(state, id) {
    Object.assign(this, { state, id });
    this.which = h("select", { onchange: () => this.#read() });
    this.choice = h("label", { class: "field", hidden: true }, h("span", {}, "Show"), this.which);
    this.words = h("p", { class: "hint", role: "status" });
    this.files = new Rows(file);
    this.rest = h("p", { class: "hint", hidden: true }, "The rest is not shown.");
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
    const request = ++this.#requests;
    this.#shown = this.#wanted;
    this.element.setAttribute("aria-busy", "true");
    if (!this.files.list.hasChildNodes()) this.words.textContent = "Reading…";
    const read = await this.state.api.diff(this.id, this.which.value).catch((error) => ({ error }));
    if (request !== this.#requests) return;
    this.element.removeAttribute("aria-busy");
    if (read.error) this.#fail(read.error);
    else this.#draw(read);
  }

  // The next change of the run reads it again, as does a reconnect.
  #fail(error) {
    this.#shown = null;
    if (error instanceof Unauthorized) this.state.connection.refuse();
    this.words.textContent = error.message;
  }

  #draw({ turns, turn, text, cut, unavailable }) {
    this.#offer(turns, turn);
    const files = filesOf(text);
    const kept = turn === null ? "" : "Compared with the last snapshot before this turn, so it includes what commands or people changed since then.";
    const nothing = turn === null ? "Nothing has changed since the run began." : "Nothing has changed in this turn.";
    const isCut = cut && "Only the beginning is shown: the diff is too long.";
    const words = unavailable ? [sentence(unavailable)] : files.length === 0 ? [nothing] : [isCut, kept];
    this.words.textContent = words.filter(Boolean).join(" ");
    this.files.show(files.map((one, index) => ({ ...one, open: index < MAX_OPEN_FILES && one.length <= MAX_OPEN_LINES })), 0, "");
    this.rest.hidden = !cut;
  }

  // The turns to choose from. They are redrawn only if they have changed: the user may have the
  // list open.
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

// A file, whose lines are drawn when it is unfolded.
function file({ path, from, change, added, removed, parts, open }) {
  const lines = h("pre", { tabindex: "0", role: "group", "aria-label": `Lines of ${visible(path)}` });
  const draw = () => lines.hasChildNodes() || fill(lines, parts.map(part));
  const folded = h("details", { open, ontoggle: draw },
    h("summary", {}, h("code", {}, visible(path)), " ",
      h("span", { class: "hint" }, change, from !== null && [" from ", h("code", {}, visible(from))], ` +${added} −${removed}`)),
    lines);
  if (open) draw();
  lines.hidden = parts.length === 0;
  return h("li", { "data-path": path }, folded);
}

const part = ({ kind, lines }) => h(ELEMENTS[kind] ?? "span", { class: kind }, visible(lines.join("\n")));

const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}.`;
