// A session: its conversation, whether its agent is at work, and the field for messages.

import { fill, h } from "../dom.js";
import { WorkWatch } from "../work.js";
import { Conversation } from "./conversation.js";
import { Say } from "./say.js";
import { Stop } from "./stop.js";

// Shows a session. `setTitle` sets the title of the page.
export function session(state, id, setTitle) {
  const view = new SessionView(state, id, setTitle);
  const watch = new WorkWatch(state, (lines) => view.work(lines.find(({ session_id: session }) => session === id)));
  const unlisten = state.listen(id);
  const onChange = ({ detail: { what } }) => {
    if (what === `conversation:${id}`) view.drawConversation();
    if (what === "sessions") view.name();
    if (what === "connection" || what === "notice") view.answered();
  };
  state.addEventListener("change", onChange);
  const leave = () => {
    state.removeEventListener("change", onChange);
    watch.leave();
    unlisten();
  };
  return { element: view.element, title: view.title, begin: () => view.drawConversation(), leave };
}

class SessionView {
  // What its agent is working on, or `null`.
  #line = null;

  constructor(state, id, setTitle) {
    Object.assign(this, { state, id, setTitle });
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
    if (!this.#line) this.#showStatus(this.#idle());
    const { working_directory: directory, agent } = this.#line ?? this.state.sessions.get(this.id) ?? {};
    this.heading.textContent = this.title;
    this.where.textContent = [directory, agent].filter(Boolean).join(" · ");
    this.setTitle(this.title);
  }

  work(line) {
    const { button, pressed } = this.stop;
    this.#line = line ?? null;
    if (line) this.stop.show(line, line.run?.recipe_label ?? "the agent");
    button.hidden = !line;
    // The pressed button is hidden now, and the focus was lost with it.
    if (!line && pressed) {
      this.stop.answered();
      if (document.activeElement === document.body) this.heading.focus({ preventScroll: true });
    }
    const run = line?.run && h("a", { href: `#/runs/${line.run.run_id}` }, line.run.recipe_label);
    if (line) this.#showStatus(run ? ["At work: ", run] : ["The agent is at work."]);
    this.say.setHint(run ? "A run is running in this conversation: messages are queued for its next step."
      : line ? "The agent is at work: messages are queued until it is done." : "The agent answers at once.");
    this.name();
  }

  // Nothing is running. The text links to the run that ended here last.
  #idle() {
    const { run_id: id, recipe_label: label, title } = this.state.sessions.get(this.id)?.last_recipe ?? {};
    const last = id && [" Last run: ", h("a", { href: `#/runs/${id}` }, label), `, ${title}.`];
    return ["Nothing is running here.", ...(last || [])];
  }

  // Redraws the status only if it has changed, since screen readers announce it.
  #showStatus(words) {
    if (fill(h("p", {}), ...words).textContent !== this.now.textContent) fill(this.now, ...words);
  }

  drawConversation() {
    this.conversation.show(this.state.conversations.get(this.id)?.messages ?? [], [], Infinity);
  }

  // The request is no longer pending, so its button can be pressed again, given a connection.
  answered() {
    this.stop.answered();
    this.say.allow(this.state.connectionState === "on");
  }
}
