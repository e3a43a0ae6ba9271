// One run: its graph with the current step highlighted, the timeline, the conversation and the end.

import { NotFound } from "../api.js";
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
import { inTerminal, shellQuote } from "./terminal.js";
import { Timeline } from "./timeline.js";
import { Workplace } from "./workplace.js";

// The actions that are disabled while recipes are switched off.
const STARTING = new Set(["resume", "permit", "answer", "again"]);

// How often the time of the current step is redrawn.
const TICK_INTERVAL_MS = 1000;

// Shows a run. `setTitle` sets the title of the page.
export async function run(state, id, setTitle) {
  const followed = await state.follow(id);
  const outline = await state.outline(followed.run.recipe_id).catch((error) => {
    if (error instanceof NotFound) return null;
    state.leave(id);
    throw error;
  });
  const view = new RunView(state, followed, outline, setTitle);
  const session = followed.run.session_id;
  const onChange = ({ detail: { what } }) => {
    if (what === `run:${id}`) view.update();
    if (what === `conversation:${session}`) view.drawConversation();
    // The request may have been lost or refused.
    if (what === "connection" || what === "notice") view.answered();
    if (what === "recipes") view.allow();
    // Another run may have started in the conversation.
    if (what === "runs") view.update();
  };
  state.addEventListener("change", onChange);
  const ticking = setInterval(() => view.tick(), TICK_INTERVAL_MS);
  const leave = () => {
    clearInterval(ticking);
    state.removeEventListener("change", onChange);
    state.leave(id);
  };
  return { element: view.element, title: followed.run.recipe_label, run: id, begin: () => view.update(), leave };
}

// The command that resumes a run with these tools allowed.
const allowing = ({ run_id: id }, tools) =>
  ["surefire resume", id.slice(0, 8), ...tools.map((tool) => `--allow-tool ${shellQuote(tool)}`)].join(" ");

// The command that resumes a run with these permissions.
const permitting = ({ run_id: id }, permits) =>
  ["surefire resume", id.slice(0, 8), ...Object.keys(permits).map((name) => `--${name.replaceAll("_", "-")}`)].join(" ");

// The permissions that this action gives to the resumed run.
const permitted = ({ allow_deps: deps, force_parallel: parallel }) =>
  Object.fromEntries(Object.entries({ allow_deps: deps, force_parallel: parallel }).filter(([, given]) => given));

// Where a run was started, and whether it works in a worktree. If it does, its own directory is in
// that worktree, and is mapped back to the repository.
function startedIn({ working_directory: directory }, { workplace }) {
  const worktree = workplace?.worktree;
  if (!worktree) return { directory };
  const inner = directory.startsWith(worktree.path) ? directory.slice(worktree.path.length) : "";
  return { directory: worktree.repository + inner, isolate: true };
}

// What a card depends on: the end, and what became of the worktree since.
const cardOf = ({ end, workplace }) => end && JSON.stringify([end.seq, workplace?.worktree?.end ?? null]);

class RunView {
  // What the card was drawn from: redrawn without a change, it would be announced again by a screen
  // reader, and lose the focus.
  #carded = null;
  // The button whose request is pending: pressed twice, it would send the request twice.
  #pressed = null;

  constructor(state, followed, outline, setTitle) {
    Object.assign(this, { state, followed, outline, setTitle });
    const { run, view } = followed;
    this.picture = outline && new Picture(outline, (step) => this.#showLast(step));
    this.timeline = new Timeline(({ began }) => this.conversation.reveal(began));
    this.proof = new Proof();
    this.workplace = new Workplace();
    this.changes = new Changes(state, run.run_id);
    this.conversation = new Conversation(Date.parse(run.started_at));
    this.say = new Say(state, run.session_id);
    this.end = h("div", {});
    this.stop = h("button", { class: "danger stop", onclick: () => this.#requestStop() }, "Stop");
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
          ? h("div", { class: "card" }, this.picture.element)
          : h("p", { class: "card hint" }, "The server no longer offers this recipe, so its graph cannot be drawn."),
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
    const { run_id: holder, type } = this.state.lastRunMessages.get(followed.run.session_id) ?? {};
    this.say.show(followed, type === "recipe_started" && holder !== followed.run.run_id);
    this.workplace.show(followed);
    this.proof.show(followed);
    this.changes.show(followed);
    this.drawConversation();
    this.allow();
    this.#drawProgress();
    this.tick();
    this.setTitle(this.#title());
  }

  #drawEnd() {
    const { followed } = this;
    const [pressed, news] = [this.#pressed, this.words.hasChildNodes()];
    this.#pressed = null;
    this.#carded = cardOf(followed.view);
    fill(this.end, followed.stopped && card(followed, this.#actions()));
    // A reader who has scrolled down should see the end, unless a message is being written. A page
    // that is opened later begins at the top.
    const writing = this.say.element.contains(document.activeElement);
    if (news && !writing) this.end.firstElementChild?.scrollIntoView({ block: "nearest" });
    this.allow();
    // The pressed button is gone. The focus moves to the result, but not to a button: the key may
    // still be held down.
    if (pressed) (this.end.firstElementChild ?? this.progress).focus({ preventScroll: true });
  }

  // Enables the buttons that can be used now: without a connection, none.
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

  // The request is no longer pending, so its button can be pressed again.
  answered() {
    this.#pressed = null;
    this.allow();
  }

  // The current step. It is redrawn only if it has changed, since screen readers announce it.
  #drawProgress() {
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

  // Updates times, costs and output.
  tick() {
    const { followed } = this;
    const { stopped, current, view: { cost_usd: cost, details } } = followed;
    this.timeline.show(followed);
    const time = !stopped && current && sofar(spent(current, Date.now()));
    // After the end, the card shows the details.
    this.details.textContent = stopped ? "" : details.map(({ label, text }) => `${label}: ${text}`).join(" · ");
    this.output.textContent = stopped ? "" : followed.output;
    this.clock.textContent = ` ${[time, cost > 0 && dollars(cost)].filter(Boolean).join(" · ")}`;
  }

  drawConversation() {
    const { state, followed: { run, view, over } } = this;
    const { messages = [] } = state.conversations.get(run.session_id) ?? {};
    this.conversation.show(messages, view.queued, over ? view.changed_at : Infinity, view.withdrawn);
  }

  // Shows the messages of a step's last visit.
  #showLast(step) {
    const visit = this.followed.view.visits.findLast((visit) => visit.step === step);
    if (visit) this.conversation.reveal(visit.began);
  }

  #title() {
    const { run, view, current } = this.followed;
    return `${view.end?.title ?? current?.step ?? "…"} · ${run.recipe_label}`;
  }

  #requestStop() {
    this.#send(this.stop, { type: "exit_recipe", session_id: this.followed.run.session_id });
  }

  // Sends a request that changes the run's status.
  #send(button, message) {
    if (!this.state.send(message)) return;
    this.#pressed = button;
    this.allow();
  }

  // Sends a request that the server may refuse, and shows its reason then. The result is pushed,
  // and drawn like any other change.
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

  // Discarding work needs a confirmation.
  #discard(label, button) {
    const { run, view: { workplace: { worktree } } } = this.followed;
    const words = `The branch ${worktree.branch} and everything in ${worktree.path} are deleted, including uncommitted changes.`;
    confirm(`${label}?`, words, "Discard", () => this.#request(button, { type: "discard_run", run_id: run.run_id }));
  }

  // Only a page on the server's machine may widen what a run does; elsewhere the command is shown.
  #permit(next, button) {
    const { run } = this.followed;
    const permits = permitted(next);
    if (this.state.mayWiden) this.#send(button, { type: "resume_run", run_id: run.run_id, ...permits });
    else inTerminal(next.label, permitting(run, permits));
  }

  // A button for each action that the server proposes.
  #actions() {
    const { state, followed: { run, view }, outline } = this;
    const acts = {
      follow: ({ run_id: next }) => { location.hash = `#/runs/${next}`; },
      resume: ({ limits }, button) => this.#send(button, { type: "resume_run", run_id: run.run_id, limits }),
      stop: (_, button) => this.#send(button, { type: "exit_recipe", session_id: run.session_id }),
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
