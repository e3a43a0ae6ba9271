// One run: the picture with its present step lit, what happened, what was said, and how it ended.

import { advice } from "../advice.js";
import { NotThere } from "../api.js";
import { fill, h } from "../dom.js";
import { Picture } from "../graph.js";
import { spent } from "../story.js";
import { dollars, sofar } from "../words.js";
import { card } from "./card.js";
import { Conversation } from "./conversation.js";
import { Say } from "./say.js";
import { start } from "./start.js";
import { Timeline } from "./timeline.js";

// What cannot be done while recipes are switched off.
const STARTING = new Set(["resume", "answer", "again"]);

// How often the time of the present step is told anew.
const TICK = 1000;

// Shows a run. `entitle` says what the page is called.
export async function run(state, id, entitle) {
  const story = await state.follow(id);
  const outline = await state.outline(story.run.recipe_id).catch((error) => {
    if (error instanceof NotThere) return null;
    state.leave(id);
    throw error;
  });
  const view = new RunView(state, story, outline, entitle);
  const session = story.run.session_id;
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
  return { element: view.element, title: story.run.recipe_label, begin: () => view.update(), leave };
}

class RunView {
  // The end that has a card already: drawn again, it would be read out again and lose the focus.
  #carded = null;
  // What was pressed and has had no effect yet; pressed twice, it would be asked for twice.
  #pressed = null;

  constructor(state, story, outline, entitle) {
    Object.assign(this, { state, story, outline, entitle });
    const { run } = story;
    this.picture = outline && new Picture(outline);
    this.timeline = new Timeline();
    this.conversation = new Conversation(Date.parse(run.started_at));
    this.say = new Say(state, run.session_id);
    this.end = h("div", {});
    this.stop = h("button", { class: "danger", onclick: () => this.#stopIt() }, "Stop");
    this.bar = h("progress", { "aria-label": "Steps taken" });
    this.words = h("span", { role: "status" });
    this.clock = h("span", { class: "hint" });
    this.progress = h("section", { class: "progress", "aria-label": "Progress", tabindex: "-1" },
      this.bar,
      h("p", { class: "now" }, this.words, this.clock));
    this.element = h("article", { class: "run columns" },
      h("div", {},
        h("div", { class: "title" },
          h("div", {},
            h("a", { class: "back", href: "#/runs" }, "← Runs"),
            h("h1", {}, run.recipe_label, run.rehearsal && [" ", h("span", { class: "rehearsal" }, "rehearsal")]),
            h("p", { class: "hint path" }, `${run.working_directory} · ${run.agent}`,
              run.continues && [" · ", h("a", { href: `#/runs/${run.continues}` }, "continues an earlier run")]),
            story.about && h("p", { class: "about" }, story.about)),
          this.stop),
        this.end,
        this.progress,
        this.picture
          ? h("div", { class: "card" }, this.picture.frame)
          : h("p", { class: "card hint" }, "The server no longer offers this recipe, so there is no picture of it."),
        h("section", { class: "card" }, h("h2", {}, "What happened"), this.timeline.element)),
      h("section", { class: "card talk", "aria-label": "Conversation" },
        h("h2", {}, "Conversation"),
        this.conversation.element,
        this.say.element));
  }

  update() {
    const { story } = this;
    this.picture?.show(story);
    this.stop.hidden = story.stopped;
    if (story.ending !== this.#carded) this.#drawEnd();
    const { run_id: holder, type } = this.state.present.get(story.run.session_id) ?? {};
    this.say.show(story, type === "recipe_started" && holder !== story.run.run_id);
    this.converse();
    this.allow();
    this.#drawPlace();
    this.tick();
    this.entitle(this.#title());
  }

  #drawEnd() {
    const { story } = this;
    const [pressed, news] = [this.#pressed, this.words.hasChildNodes()];
    this.#pressed = null;
    this.#carded = story.ending;
    fill(this.end, story.ending && card(story, this.#actions()));
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
    const { story, outline } = this;
    const { number = 0, step } = story.present ?? {};
    const most = outline && !story.raised ? outline.max_steps : null;
    this.bar.hidden = most === null;
    if (most) Object.assign(this.bar, { max: most, value: number });
    const place = h("strong", {}, `Step ${number}${most ? ` of at most ${most}` : ""}`);
    const description = outline?.steps.find(({ name }) => name === step)?.description;
    const now = !story.stopped && step && [": ", h("code", {}, step), description && ` ${description}`];
    const drawn = h("span", {}, place, now);
    if (drawn.textContent !== this.words.textContent) fill(this.words, ...drawn.childNodes);
  }

  // Time passes, and costs.
  tick() {
    const { story } = this;
    this.timeline.show(story);
    const time = !story.stopped && story.present && sofar(spent(story.present, Date.now()));
    this.clock.textContent = ` ${[time, story.cost > 0 && dollars(story.cost)].filter(Boolean).join(" · ")}`;
  }

  converse() {
    const { state, story } = this;
    const { messages = [] } = state.conversations.get(story.run.session_id) ?? {};
    this.conversation.show(messages, story.waiting, story.over ? story.last : Infinity, story.withdrawn);
  }

  #title() {
    const { story } = this;
    return `${story.stopped ? story.ending.title : story.present?.step ?? "…"} · ${story.run.recipe_label}`;
  }

  #stopIt() {
    this.#ask(this.stop, { type: "exit_recipe", session_id: this.story.run.session_id });
  }

  // Asks for something that changes how the run stands.
  #ask(button, message) {
    if (!this.state.say(message)) return;
    this.#pressed = button;
    this.allow();
  }

  #actions() {
    const { state, story, outline } = this;
    const { run } = story;
    const acts = {
      follow: ({ run }) => { location.hash = `#/runs/${run}`; },
      resume: ({ limits }, button) => this.#ask(button, { type: "resume_run", run_id: run.run_id, limits }),
      stop: (_, button) => this.#ask(button, { type: "exit_recipe", session_id: run.session_id }),
      answer: () => start(state, outline, { session: run.session_id, directory: run.working_directory }),
      again: () => start(state, outline, { directory: run.working_directory, agent: run.agent, about: story.about }),
    };
    const pressed = (action) => ({ currentTarget }) => acts[action.act](action, currentTarget);
    return advice(story, outline !== null).map((action) => ({ label: action.label, kind: action.act, act: pressed(action) }));
  }
}
