// Starting a recipe: in which conversation, where, by whom, about what; with a look at what the agent will be told first.

import { Lost } from "../connection.js";
import { h } from "../dom.js";
import { ago } from "../words.js";
import { allowed } from "./gates.js";
import { TrustNotice } from "./trust.js";

// How long nobody types before the preview follows, in milliseconds.
const PAUSE = 200;

// How much of what it is about is sent to be previewed. An address has to fit into a request's first line.
const PREVIEWED = 4000;

// Opens the dialog. `like` is a run to begin with: `{ session, directory, agent, about, apart }`.
export function start(state, outline, like = {}) {
  new StartDialog(state, outline, like).open();
}

class StartDialog {
  constructor(state, outline, like) {
    Object.assign(this, { state, outline });
    const sessions = [...state.sessions.values()].sort((a, b) => b.last_modified - a.last_modified);
    // The server lists only the latest.
    if (like.session && !state.sessions.has(like.session)) sessions.push({ session_id: like.session, working_directory: like.directory });
    this.sessions = new Map(sessions.map((session) => [session.session_id, session]));
    const places = new Set([...sessions.map(({ working_directory }) => working_directory), state.directory].filter(Boolean));
    this.session = h("select", {}, h("option", { value: "" }, "A new one"), sessions.map((session) => this.#option(session)));
    this.session.value = like.session ?? "";
    this.directory = h("input", {
      value: like.directory ?? sessions[0]?.working_directory ?? state.directory, list: "places", required: true,
      placeholder: "/home/me/project", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
    });
    this.agent = h("select", {}, state.agents.map(({ name, rehearsal }) =>
      h("option", { value: name, selected: name === like.agent }, rehearsal ? `${name} (only pretends)` : name)));
    this.about = h("textarea", { rows: 3, placeholder: "Optional: a task, a hint, an answer. The agent reads it first." }, like.about);
    this.wishesApart = Boolean(like.apart);
    this.apart = h("input", { type: "checkbox", onchange: () => { this.wishesApart = this.apart.checked; } });
    this.trust = new TrustNotice(state);
    this.preview = h("pre", { tabindex: "0", "aria-label": "First prompt" });
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.button = h("button", { class: "primary" }, "Start");
    this.session.addEventListener("change", () => this.#sessionChanged());
    this.about.addEventListener("input", () => this.#aboutChanged());
    this.directory.addEventListener("input", () => this.#directoryChanged());
    this.dialog = this.#built(places);
  }

  open() {
    this.#sessionChanged();
    this.#look();
    const hear = ({ detail: { what } }) => what === "runs" && this.#refresh();
    this.state.addEventListener("change", hear);
    this.dialog.addEventListener("close", () => {
      this.state.removeEventListener("change", hear);
      clearTimeout(this.typing);
      clearTimeout(this.naming);
      this.dialog.remove();
    });
    document.body.append(this.dialog);
    this.dialog.showModal();
    (this.session.value ? this.about : this.directory).focus();
  }

  #built(places) {
    const field = (label, input, hint) => h("label", { class: "field" }, h("span", {}, label), input, hint);
    return h("dialog", { class: "start", "aria-labelledby": "start-title" },
      h("form", { onsubmit: (event) => this.#submit(event) },
        h("h2", { id: "start-title" }, `Start ${this.outline.label}`),
        h("div", { class: "fields" },
          field("Working directory", this.directory),
          h("datalist", { id: "places" }, [...places].map((path) => h("option", { value: path }))),
          field("Conversation", this.session),
          this.state.agents.length > 0 && field("Agent", this.agent),
          h("label", { class: "choice" }, this.apart, " Work apart (git worktree)"),
          field("Task", this.about)),
        this.trust.element,
        h("details", { open: true },
          h("summary", {}, "First, the agent is told this ", h("span", { class: "hint" }, `(step ${this.outline.initial})`)),
          this.preview),
        h("details", {}, h("summary", {}, "What the agent may do"), allowed(this.outline)),
        this.problem,
        h("div", { class: "actions" }, this.button, h("button", { type: "button", onclick: () => this.dialog.close() }, "Cancel"))));
  }

  #option(session) {
    const option = h("option", { value: session.session_id });
    this.#describe(option, session);
    return option;
  }

  // A session that has a run cannot have another.
  #describe(option, { session_id: id, name, working_directory: directory, last_modified: changed, last_recipe: last }) {
    option.disabled = this.state.present.get(id)?.type === "recipe_started";
    const when = option.disabled ? "busy" : changed && ago(new Date(changed).toISOString());
    const ended = !option.disabled && last?.title;
    option.textContent = [name || id.slice(0, 8), directory, ended, when].filter(Boolean).join(" · ");
  }

  // Runs begin and end while somebody thinks.
  #refresh() {
    for (const option of this.session.options) {
      const session = this.sessions.get(option.value);
      if (session) this.#describe(option, session);
    }
  }

  // A session goes on where it always was, with the agent that knows it.
  #sessionChanged() {
    const session = this.sessions.get(this.session.value);
    this.directory.disabled = this.agent.disabled = Boolean(session);
    if (session) this.directory.value = session.working_directory;
    // A run that works apart has a conversation of its own; and some recipes never work otherwise.
    this.apart.disabled = Boolean(session) || this.outline.isolate;
    this.apart.checked = this.outline.isolate || (!session && this.wishesApart);
    this.#lookAtTrust();
  }

  // What was chosen for one repository holds for no other, however quick somebody is.
  #directoryChanged() {
    clearTimeout(this.naming);
    this.trust.look("");
    this.naming = setTimeout(() => this.#lookAtTrust(), PAUSE);
  }

  #lookAtTrust() {
    this.trust.look(this.directory.value.trim());
  }

  #aboutChanged() {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.#look(), PAUSE);
  }

  async #look() {
    const about = this.about.value.trim();
    try {
      const told = about.length > PREVIEWED ? `${about.slice(0, PREVIEWED)}…` : about;
      const prompt = await this.state.api.firstPrompt(this.outline.id, told);
      // Somebody may have typed on meanwhile.
      if (about === this.about.value.trim()) this.preview.textContent = prompt;
    } catch (error) {
      if (about === this.about.value.trim()) this.preview.textContent = `(${error.message})`;
    }
  }

  async #submit(event) {
    event.preventDefault();
    this.problem.hidden = true;
    this.button.disabled = true;
    const session = this.session.value || null;
    try {
      const { run_id: run } = await this.state.connection.request({
        type: "start_recipe",
        session_id: session,
        recipe_id: this.outline.id,
        working_directory: session ? undefined : this.directory.value.trim(),
        agent: session ? undefined : this.agent.value || undefined,
        prompt: this.about.value.trim() || undefined,
        isolate: this.apart.checked || undefined,
        untrusted: this.trust.skips ? "skip" : undefined,
      });
      this.#started(run);
    } catch (error) {
      this.#complain(error instanceof Lost ? `${error.message} Look at the runs whether it began, before you start it again.` : error.message);
    }
  }

  // A dialog that was cancelled meanwhile leads nowhere.
  #started(run) {
    if (!this.dialog.open) return;
    this.dialog.close();
    location.hash = `#/runs/${run}`;
  }

  #complain(words) {
    this.button.disabled = false;
    this.problem.textContent = words;
    this.problem.hidden = false;
    // While it was disabled it could not keep the focus.
    this.button.focus();
  }
}
