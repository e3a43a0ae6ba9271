// One run: the picture with its present step lit, what happened, what was said, and how it ended.

import { NotThere } from "../api.js";
import { fill, h } from "../dom.js";
import { spent } from "../followed.js";
import { Picture } from "../graph.js";
import { dollars, sofar } from "../words.js";
import { card } from "./card.js";
import { Changes } from "./changes.js";
import { confirm } from "./confirm.js";
import { Conversation } from "./conversation.js";
import { Proof } from "./proof.js";
import { Say } from "./say.js";
import { start } from "./start.js";
import { inTerminal, quoted } from "./terminal.js";
import { Timeline } from "./timeline.js";
import { Workplace } from "./workplace.js";

// What cannot be done while recipes are switched off.
const STARTING = new Set(["resume", "permit", "answer", "again"]);

// How often the time of the current step is told anew.
const TICK = 1000;

// Shows a run. `entitle` says what the page is called.
export async function run(state, id, entitle) {
  const followed = await state.follow(id);
  const outline = await state.outline(followed.run.recipe_id).catch((error) => {
    if (error instanceof NotThere) return null;
    state.leave(id);
    throw error;
  });
  const view = new RunView(state, followed, outline, entitle);
  const session = followed.run.session_id;
  const hear = ({ detail: { what } }) => {
    if (what === `run:${id}`) view.update();
    if (what === `words:${session}`) view.converse();
    // What was asked for may have got lost, or been refused.
    if (what === "connection" || what === "notice") view.answered();
    if (what === "recipes") view.allow();
    // Another run may hold the conversation by now.
    if (what === "runs") view.update();
  };
  state.addEventListener("change", hear);
  const ticking = setInterval(() => view.tick(), TICK);
  const leave = () => {
    clearInterval(ticking);
    state.removeEventListener("change", hear);
    state.leave(id);
  };
  return { element: view.element, title: followed.run.recipe_label, begin: () => view.update(), leave };
}

// The command that resumes a run with these tools allowed.
const allowing = ({ run_id: id }, tools) =>
  ["surefire resume", id.slice(0, 8), ...tools.map((tool) => `--allow-tool ${quoted(tool)}`)].join(" ");

// The command that resumes a run and permits this.
const permitting = ({ run_id: id }, permits) =>
  ["surefire resume", id.slice(0, 8), ...Object.keys(permits).map((name) => `--${name.replaceAll("_", "-")}`)].join(" ");

// What a run may be permitted when it is resumed, as far as this action does.
const permitted = ({ allow_deps: deps, force_parallel: parallel }) =>
  Object.fromEntries(Object.entries({ allow_deps: deps, force_parallel: parallel }).filter(([, given]) => given));

// Where a run was started, and whether it works apart: its own directory is then one in its worktree.
function startedIn({ working_directory: directory }, { workplace }) {
  const worktree = workplace?.worktree;
  if (!worktree) return { directory };
  const inner = directory.startsWith(worktree.path) ? directory.slice(worktree.path.length) : "";
  return { directory: worktree.repository + inner, apart: true };
}

// What a card shows: an end, and what became of the worktree since.
const cardOf = ({ end, workplace }) => end && JSON.stringify([end.seq, workplace?.worktree?.end ?? null]);

class RunView {
  // What has a card already: drawn again, it would be read out again and lose the focus.
  #carded = null;
  // What was pressed and has had no effect yet; pressed twice, it would be asked for twice.
  #pressed = null;

  constructor(state, followed, outline, entitle) {
    Object.assign(this, { state, followed, outline, entitle });
    const { run, view } = followed;
    this.picture = outline && new Picture(outline);
    this.timeline = new Timeline();
    this.proof = new Proof();
    this.workplace = new Workplace();
    this.changes = new Changes(state, run.run_id);
    this.conversation = new Conversation(Date.parse(run.started_at));
    this.say = new Say(state, run.session_id);
    this.end = h("div", {});
    this.stop = h("button", { class: "danger", onclick: () => this.#stopIt() }, "Stop");
    this.bar = h("progress", { "aria-label": "Steps taken" });
    this.words = h("span", { role: "status" });
    this.clock = h("span", { class: "hint" });
    this.details = h("p", { class: "hint" });
    this.output = h("p", { class: "hint output" });
    this.progress = h("section", { class: "progress", "aria-label": "Progress", tabindex: "-1" },
      this.bar,
      h("p", { class: "now" }, this.words, this.clock),
      this.details,
      this.output);
    this.element = h("article", { class: "run columns" },
      h("div", {},
        h("div", { class: "title" },
          h("div", {},
            h("a", { class: "back", href: "#/runs" }, "← Runs"),
            h("h1", {}, run.recipe_label, run.rehearsal && [" ", h("span", { class: "rehearsal" }, "rehearsal")]),
            h("p", { class: "hint path" }, `${run.working_directory} · ${run.agent}`,
              run.continues && [" · ", h("a", { href: `#/runs/${run.continues}` }, "continues an earlier run")]),
            view.task && h("p", { class: "about" }, view.task)),
          this.stop),
        this.end,
        this.progress,
        this.picture
          ? h("div", { class: "card" }, this.picture.frame)
          : h("p", { class: "card hint" }, "The server no longer offers this recipe, so there is no picture of it."),
        h("section", { class: "card" }, h("h2", {}, "What happened"), this.timeline.element),
        this.workplace.element,
        this.proof.element,
        this.changes.element),
      h("section", { class: "card talk", "aria-label": "Conversation" },
        h("h2", {}, "Conversation"),
        this.conversation.element,
        this.say.element));
  }

  update() {
    const { followed } = this;
    this.picture?.show(followed);
    this.stop.hidden = followed.stopped;
    if (cardOf(followed.view) !== this.#carded) this.#drawEnd();
    const { run_id: holder, type } = this.state.present.get(followed.run.session_id) ?? {};
    this.say.show(followed, type === "recipe_started" && holder !== followed.run.run_id);
    this.workplace.show(followed);
    this.proof.show(followed);
    this.changes.show(followed);
    this.converse();
    this.allow();
    this.#drawPlace();
    this.tick();
    this.entitle(this.#title());
  }

  #drawEnd() {
    const { followed } = this;
    const [pressed, news] = [this.#pressed, this.words.hasChildNodes()];
    this.#pressed = null;
    this.#carded = cardOf(followed.view);
    fill(this.end, followed.stopped && card(followed, this.#actions()));
    // Whoever looks at something further down should see that it ended, unless they write; whoever comes later begins at the top.
    const writing = this.say.element.contains(document.activeElement);
    if (news && !writing) this.end.firstElementChild?.scrollIntoView({ block: "nearest" });
    this.allow();
    // What was pressed is gone. Whoever did it is taken to what came of it, but to no button: a key may still be held down.
    if (pressed) (this.end.firstElementChild ?? this.progress).focus({ preventScroll: true });
  }

  // Without a connection nothing can be asked for.
  allow() {
    const away = this.state.connectionState !== "on";
    this.stop.textContent = this.#pressed === this.stop ? "Stopping…" : "Stop";
    const { enabled } = this.state;
    for (const button of [this.stop, ...this.end.querySelectorAll("button")]) {
      const off = !enabled && STARTING.has(button.dataset.act);
      button.disabled = away || off || this.#pressed !== null;
      button.title = off ? "Recipes are switched off" : "";
    }
    this.say.allow(!away);
  }

  // Whatever was pressed can be pressed again.
  answered() {
    this.#pressed = null;
    this.allow();
  }

  // Where the run is. Changed only where that is new: it is read out.
  #drawPlace() {
    const { followed, outline } = this;
    const { number = 0, step } = followed.current ?? {};
    const most = followed.view.max_steps;
    this.bar.hidden = most === null;
    if (most) Object.assign(this.bar, { max: most, value: number });
    const place = h("strong", {}, `Step ${number}${most ? ` of at most ${most}` : ""}`);
    const description = outline?.steps.find(({ name }) => name === step)?.description;
    const now = !followed.stopped && step && [": ", h("code", {}, step), description && ` ${description}`];
    const drawn = h("span", {}, place, now);
    if (drawn.textContent !== this.words.textContent) fill(this.words, ...drawn.childNodes);
  }

  // Time passes, and costs.
  tick() {
    const { followed } = this;
    const { stopped, current, view: { cost_usd: cost, details } } = followed;
    this.timeline.show(followed);
    const time = !stopped && current && sofar(spent(current, Date.now()));
    // The card has them once there is one.
    this.details.textContent = stopped ? "" : details.map(({ label, text }) => `${label}: ${text}`).join(" · ");
    this.output.textContent = stopped ? "" : followed.output;
    this.clock.textContent = ` ${[time, cost > 0 && dollars(cost)].filter(Boolean).join(" · ")}`;
  }

  converse() {
    const { state, followed: { run, view, over } } = this;
    const { messages = [] } = state.conversations.get(run.session_id) ?? {};
    this.conversation.show(messages, view.queued, over ? view.changed_at : Infinity, view.withdrawn);
  }

  #title() {
    const { run, view, current } = this.followed;
    return `${view.end?.title ?? current?.step ?? "…"} · ${run.recipe_label}`;
  }

  #stopIt() {
    this.#ask(this.stop, { type: "exit_recipe", session_id: this.followed.run.session_id });
  }

  // Asks for something that changes how the run stands.
  #ask(button, message) {
    if (!this.state.say(message)) return;
    this.#pressed = button;
    this.allow();
  }

  // Asks for something that may be refused for reasons to read. What came of it is pushed, and drawn like any other change.
  async #request(button, message) {
    this.state.notify(null);
    this.#pressed = button;
    this.allow();
    try {
      await this.state.connection.request(message);
    } catch (error) {
      this.state.notify(error.message);
    }
  }

  // Throwing work away is asked about once more.
  #discard(label, button) {
    const { run, view: { workplace: { worktree } } } = this.followed;
    const words = `The branch ${worktree.branch} and all that is in ${worktree.path} are thrown away, even what is not committed.`;
    confirm(`${label}?`, words, "Discard", () => this.#request(button, { type: "discard_run", run_id: run.run_id }));
  }

  // Only a page on the server's machine may widen what a run does; elsewhere the command is shown.
  #permit(next, button) {
    const { run } = this.followed;
    const permits = permitted(next);
    if (this.state.mayWiden) this.#ask(button, { type: "resume_run", run_id: run.run_id, ...permits });
    else inTerminal(next.label, permitting(run, permits));
  }

  // A button for each action that the server proposes.
  #actions() {
    const { state, followed: { run, view }, outline } = this;
    const acts = {
      follow: ({ run_id: next }) => { location.hash = `#/runs/${next}`; },
      resume: ({ limits }, button) => this.#ask(button, { type: "resume_run", run_id: run.run_id, limits }),
      stop: (_, button) => this.#ask(button, { type: "exit_recipe", session_id: run.session_id }),
      // Only a process on the server's machine may widen what an agent is allowed.
      allow: ({ label, tools }) => inTerminal(label, allowing(run, tools)),
      permit: (next, button) => this.#permit(next, button),
      merge: (_, button) => this.#request(button, { type: "merge_run", run_id: run.run_id }),
      discard: ({ label }, button) => this.#discard(label, button),
      answer: () => start(state, outline, { session: run.session_id, directory: run.working_directory }),
      again: () => start(state, outline, { ...startedIn(run, view), agent: run.agent, about: view.task }),
      show_recipe: () => { location.hash = `#/recipes/${encodeURIComponent(run.recipe_id)}`; },
      doctor: ({ label }) => inTerminal(label, "surefire doctor"),
    };
    const known = view.next.filter(({ kind }) => Object.hasOwn(acts, kind));
    return known.map((next) => ({ label: next.label, kind: next.kind, act: ({ currentTarget }) => acts[next.kind](next, currentTarget) }));
  }
}
