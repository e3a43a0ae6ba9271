// A conversation by itself: what was said in a session, whether its agent is at work, and a field to say more.

import { fill, h } from "../dom.js";
import { WorkWatch } from "../work.js";
import { Conversation } from "./conversation.js";
import { Say } from "./say.js";
import { Stop } from "./stop.js";

// Shows a session. `entitle` says what the page is called.
export function session(state, id, entitle) {
  const view = new SessionView(state, id, entitle);
  const watch = new WorkWatch(state, (lines) => view.work(lines.find(({ session_id: session }) => session === id)));
  const unlisten = state.listen(id);
  const hear = ({ detail: { what } }) => {
    if (what === `words:${id}`) view.converse();
    if (what === "sessions") view.name();
    if (what === "connection" || what === "notice") view.answered();
  };
  state.addEventListener("change", hear);
  const leave = () => {
    state.removeEventListener("change", hear);
    watch.leave();
    unlisten();
  };
  return { element: view.element, title: view.title, begin: () => view.converse(), leave };
}

class SessionView {
  // What its agent works on, if it does.
  #line = null;

  constructor(state, id, entitle) {
    Object.assign(this, { state, id, entitle });
    this.conversation = new Conversation(0);
    this.say = new Say(state, id);
    this.stop = new Stop(state);
    this.stop.button.hidden = true;
    this.heading = h("h1", { tabindex: "-1" });
    this.where = h("p", { class: "hint path" });
    this.now = h("p", { class: "hint", role: "status" });
    this.element = h("article", { class: "session" },
      h("div", { class: "title" },
        h("div", {}, h("a", { class: "back", href: "#/" }, "← Recipes"), this.heading, this.where, this.now),
        this.stop.button),
      h("section", { class: "card talk", "aria-label": "Conversation" },
        h("h2", {}, "Conversation"), this.conversation.element, this.say.element));
    this.name();
    this.work(null);
    this.say.allow(state.connectionState === "on");
  }

  get title() {
    const { name } = this.#line ?? this.state.sessions.get(this.id) ?? {};
    return name || "Conversation";
  }

  name() {
    if (!this.#line) this.#tell(this.#idle());
    const { working_directory: directory, agent } = this.#line ?? this.state.sessions.get(this.id) ?? {};
    this.heading.textContent = this.title;
    this.where.textContent = [directory, agent].filter(Boolean).join(" · ");
    this.entitle(this.title);
  }

  work(line) {
    const { button, pressed } = this.stop;
    this.#line = line ?? null;
    if (line) this.stop.show(line, line.run?.recipe_label ?? "the agent");
    button.hidden = !line;
    // What was pressed is gone, and the focus with it.
    if (!line && pressed) {
      this.stop.answered();
      if (document.activeElement === document.body) this.heading.focus({ preventScroll: true });
    }
    const run = line?.run && h("a", { href: `#/runs/${line.run.run_id}` }, line.run.recipe_label);
    if (line) this.#tell(run ? ["At work: ", run] : ["The agent is at work."]);
    this.say.tell(run ? "A run goes on in this conversation: words wait for its next step."
      : line ? "The agent is at work: words wait until it is done." : "This is answered at once.");
    this.name();
  }

  // Nothing is running. The run that ended here last is one click away.
  #idle() {
    const { run_id: id, recipe_label: label, title } = this.state.sessions.get(this.id)?.last_recipe ?? {};
    const last = id && [" Last run: ", h("a", { href: `#/runs/${id}` }, label), `, ${title}.`];
    return ["Nothing is running here.", ...(last || [])];
  }

  // Changed only where it is new: it is read out.
  #tell(words) {
    if (fill(h("p", {}), ...words).textContent !== this.now.textContent) fill(this.now, ...words);
  }

  converse() {
    this.conversation.show(this.state.conversations.get(this.id)?.messages ?? [], [], Infinity);
  }

  // Whatever was pressed can be pressed again. Without a connection nothing can.
  answered() {
    this.stop.answered();
    this.say.allow(this.state.connectionState === "on");
  }
}
