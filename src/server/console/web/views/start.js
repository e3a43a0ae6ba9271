// The start dialog: the task, the directory, the conversation, the agent and the limits of a run,
// with a preview of the agent's first prompt.

import { Lost } from "../connection.js";
import { fill, h } from "../dom.js";
import { ago } from "../words.js";
import { Field, amount, seconds } from "./field.js";
import { allowed } from "./gates.js";
import { TrustNotice } from "./trust.js";

// How long after the last keystroke the preview is read again, in milliseconds.
const PREVIEW_DELAY_MS = 200;

// How much of the task is sent for the preview: it is part of an address, which has to fit into a
// request's first line.
const MAX_PREVIEWED_CHARS = 4000;

// How many of the latest runs the proposed directories come from.
const RECENT_RUNS = 50;

const TASK_OPTIONAL = "Optional. A task, a hint or an answer: the agent reads it with its first prompt.";
const TASK_REQUIRED = "Required in a new conversation, unless the directory has a bd tracker to take a task from.";

// Opens the dialog. `like` has the initial values: `{ session, directory, agent, about, isolate }`.
export function start(state, outline, like = {}) {
  new StartDialog(state, outline, like).open();
}

// The models that a recipe names, for the list of proposals.
const modelsOf = ({ model, steps }) => new Set([model, ...steps.map((step) => step.model)].filter(Boolean));

const plain = { spellcheck: "false", autocapitalize: "off", autocomplete: "off" };

class StartDialog {
  constructor(state, outline, like) {
    Object.assign(this, { state, outline });
    const sessions = [...state.sessions.values()].sort((a, b) => b.last_modified - a.last_modified);
    // The server lists only the latest.
    if (like.session && !state.sessions.has(like.session)) sessions.push({ session_id: like.session, working_directory: like.directory });
    this.sessions = new Map(sessions.map((session) => [session.session_id, session]));
    this.session = h("select", {}, h("option", { value: "" }, "A new one"), sessions.map((session) => this.#option(session)));
    this.session.value = like.session ?? "";
    this.agent = h("select", {}, state.agents.map(({ name, rehearsal }) =>
      h("option", { value: name, selected: name === like.agent }, rehearsal ? `${name} (simulated)` : name)));
    this.about = h("textarea", { rows: 3, placeholder: "Fix the rounding in cart.rs" }, like.about);
    this.directory = h("input", {
      value: like.directory ?? sessions[0]?.working_directory ?? state.directory, list: "places",
      placeholder: "/home/me/project", ...plain,
    });
    this.places = h("datalist", { id: "places" });
    this.#propose(sessions);
    this.model = h("input", { list: "models", placeholder: outline.model ?? "the agent's default", ...plain });
    this.budget = h("input", { inputmode: "decimal", placeholder: "no limit", ...plain });
    this.time = h("input", { placeholder: "no limit", ...plain });
    this.prefersIsolation = Boolean(like.isolate);
    this.isolate = h("input", { type: "checkbox", onchange: () => { this.prefersIsolation = this.isolate.checked; } });
    this.#makeFields();
    this.trust = new TrustNotice(state);
    this.preview = h("pre", { tabindex: "0", "aria-label": "First prompt" });
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.button = h("button", { class: "primary" }, "Start");
    this.session.addEventListener("change", () => this.#sessionChanged());
    this.agent.addEventListener("change", () => this.#explainTask());
    this.about.addEventListener("input", () => this.#aboutChanged());
    this.directory.addEventListener("input", () => this.#directoryChanged());
    this.dialog = this.#built();
  }

  #makeFields() {
    this.fields = {
      task: new Field("Task", this.about),
      directory: new Field("Working directory", this.directory, { required: "Enter the directory that the agent works in." }),
      conversation: new Field("Conversation", this.session),
      agent: new Field("Agent", this.agent),
      model: new Field("Model", this.model, { hint: "Used for every step, instead of the recipe's own." }),
      budget: new Field("Budget in dollars", this.budget, { read: amount, hint: "The run stops when it has cost this much." }),
      time: new Field("Time", this.time, { read: seconds, hint: "Total working time, such as 45m or 2h." }),
    };
  }

  // Directories to choose from: those of sessions and runs, newest first, and the server's own
  // proposal.
  #propose(places) {
    const known = new Set([...places.map(({ working_directory }) => working_directory), this.state.directory].filter(Boolean));
    fill(this.places, [...known].map((path) => h("option", { value: path })));
  }

  async #proposeRecent() {
    // If that fails, the directories of the sessions are still proposed.
    const runs = await this.state.api.runs({ limit: RECENT_RUNS }).catch(() => []);
    this.#propose([...this.sessions.values(), ...runs]);
  }

  open() {
    this.#sessionChanged();
    this.#readPreview();
    this.#proposeRecent();
    const onChange = ({ detail: { what } }) => what === "runs" && this.#refresh();
    this.state.addEventListener("change", onChange);
    this.dialog.addEventListener("close", () => {
      this.state.removeEventListener("change", onChange);
      clearTimeout(this.typing);
      clearTimeout(this.naming);
      this.dialog.remove();
    });
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.about.focus();
  }

  #built() {
    const { task, directory, conversation, agent, model, budget, time } = this.fields;
    this.more = h("details", { class: "more" },
      h("summary", {}, "More: model, budget, time"),
      h("div", { class: "fields" }, model.element, budget.element, time.element,
        h("datalist", { id: "models" }, [...modelsOf(this.outline)].map((name) => h("option", { value: name })))));
    // Invalid values are explained next to their fields, not by the browser.
    return h("dialog", { class: "start", "aria-labelledby": "start-title" },
      h("form", { novalidate: true, onsubmit: (event) => this.#submit(event) },
        h("h2", { id: "start-title" }, `Start ${this.outline.label}`),
        // The fields scroll; the buttons below them stay in reach.
        h("div", { class: "body" },
          task.element,
          directory.element,
          this.places,
          h("div", { class: "fields" }, conversation.element, this.state.agents.length > 0 && agent.element),
          h("label", { class: "choice" }, this.isolate, " Work in a new git worktree"),
          this.more,
          this.trust.element,
          h("details", { open: true },
            h("summary", {}, "First prompt to the agent ", h("span", { class: "hint" }, `(step ${this.outline.initial}${this.outline.changed_prompts?.[this.outline.initial] ? ", changed by the operator" : ""})`)),
            this.preview),
          h("details", {}, h("summary", {}, "What the agent may do"), allowed(this.outline))),
        this.problem,
        h("div", { class: "actions" }, this.button, h("button", { type: "button", onclick: () => this.dialog.close() }, "Cancel"))));
  }

  #option(session) {
    const option = h("option", { value: session.session_id });
    this.#describe(option, session);
    return option;
  }

  // A session has at most one run at a time.
  #describe(option, { session_id: id, name, working_directory: directory, last_modified: changed, last_recipe: last }) {
    option.disabled = this.state.lastRunMessages.get(id)?.type === "recipe_started";
    const when = option.disabled ? "busy" : changed && ago(new Date(changed).toISOString());
    const ended = !option.disabled && last?.title;
    option.textContent = [name || id.slice(0, 8), directory, ended, when].filter(Boolean).join(" · ");
  }

  // Runs begin and end while the dialog is open.
  #refresh() {
    for (const option of this.session.options) {
      const session = this.sessions.get(option.value);
      if (session) this.#describe(option, session);
    }
  }

  // A session keeps its directory and its agent.
  #sessionChanged() {
    const session = this.sessions.get(this.session.value);
    this.directory.disabled = this.agent.disabled = Boolean(session);
    if (session) this.directory.value = session.working_directory;
    // A run in a worktree has a new conversation. Some recipes always work in a worktree.
    this.isolate.disabled = Boolean(session) || this.outline.isolate;
    this.isolate.checked = this.outline.isolate || (!session && this.prefersIsolation);
    this.#explainTask();
    this.#readTrust();
  }

  // Only an agent that is not a rehearsal needs a task, and only in a new conversation. The server
  // decides: it alone knows whether there is a tracker.
  #explainTask() {
    const rehearses = this.state.agents.find(({ name }) => name === this.agent.value)?.rehearsal;
    const required = this.outline.needs?.task && !this.session.value && !rehearses;
    this.fields.task.hint.textContent = required ? TASK_REQUIRED : TASK_OPTIONAL;
    this.about.setAttribute("aria-required", String(Boolean(required)));
  }

  // A choice for one repository must not apply to another, so it is dropped at once.
  #directoryChanged() {
    clearTimeout(this.naming);
    this.trust.read("");
    this.naming = setTimeout(() => this.#readTrust(), PREVIEW_DELAY_MS);
  }

  #readTrust() {
    this.trust.read(this.directory.value.trim());
  }

  #aboutChanged() {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.#readPreview(), PREVIEW_DELAY_MS);
  }

  async #readPreview() {
    const about = this.about.value.trim();
    try {
      const sent = about.length > MAX_PREVIEWED_CHARS ? `${about.slice(0, MAX_PREVIEWED_CHARS)}…` : about;
      const prompt = await this.state.api.firstPrompt(this.outline.id, sent);
      // The task may have changed meanwhile.
      if (about === this.about.value.trim()) this.preview.textContent = prompt;
    } catch (error) {
      if (about === this.about.value.trim()) this.preview.textContent = `(${error.message})`;
    }
  }

  async #submit(event) {
    event.preventDefault();
    this.problem.hidden = true;
    if (!this.#check()) return;
    this.button.disabled = true;
    const session = this.session.value || null;
    try {
      const { run_id: run } = await this.state.connection.request({
        type: "start_recipe",
        session_id: session,
        recipe_id: this.outline.id,
        working_directory: session ? undefined : this.fields.directory.value,
        agent: session ? undefined : this.agent.value || undefined,
        model: this.fields.model.value,
        prompt: this.fields.task.value,
        limits: this.#limits(),
        isolate: this.isolate.checked || undefined,
        untrusted: this.trust.skips ? "skip" : undefined,
      });
      this.#started(run);
    } catch (error) {
      this.#showProblem(error instanceof Lost ? `${error.message} Before you start it again, check under Runs whether it began.` : error.message);
    }
  }

  // Whether every field is valid. If not, the first invalid one gets the focus.
  #check() {
    const wrong = Object.values(this.fields).filter((field) => !field.check());
    if (wrong.some(({ element }) => this.more.contains(element))) this.more.open = true;
    wrong[0]?.input.focus();
    return wrong.length === 0;
  }

  #limits() {
    const limits = { budget_usd: this.fields.budget.value, time_s: this.fields.time.value };
    return Object.values(limits).some(Boolean) ? limits : undefined;
  }

  // If the user cancelled the dialog meanwhile, the page stays where it is.
  #started(run) {
    if (!this.dialog.open) return;
    this.dialog.close();
    location.hash = `#/runs/${run}`;
  }

  #showProblem(words) {
    this.button.disabled = false;
    this.problem.textContent = words;
    this.problem.hidden = false;
    // The button lost the focus while it was disabled.
    this.button.focus();
  }
}
