// What a repository wants to run where it is not trusted: what that is, how to trust it, and how to run without it.

import { fill, h } from "../dom.js";
import { quoted } from "./terminal.js";

// The file whose commands the engine runs. The others bring along what the agent runs.
const PROJECT_FILE = "surefire.toml";

export class TrustNotice {
  // What was asked about last: an answer that another question has overtaken is not shown.
  #directory = "";

  constructor(state) {
    this.state = state;
    this.skip = h("input", { type: "checkbox" });
    this.element = h("section", { class: "trust", role: "status", "aria-label": "Trust", hidden: true });
  }

  // Whether the run is to begin without the repository's commands.
  get skips() {
    return !this.element.hidden && this.skip.isConnected && this.skip.checked;
  }

  // Looks whether the repository of a directory is trusted. Where that cannot be known, the start will say what is wrong.
  async look(directory) {
    if (directory === this.#directory) return;
    this.#directory = directory;
    this.skip.checked = false;
    this.element.hidden = true;
    if (!directory) return;
    const trust = await this.#asked("get_directory_trust", directory).catch(() => null);
    if (trust && directory === this.#directory) this.#show(trust);
  }

  #asked(type, directory) {
    return this.state.connection.request({ type, working_directory: directory }, "directory_trust");
  }

  #show({ trusted, files, changed = [], commands }) {
    const brought = files.filter((file) => file !== PROJECT_FILE);
    this.element.hidden = trusted || (commands.length === 0 && brought.length === 0);
    if (this.element.hidden) return;
    fill(this.element,
      h("p", {}, h("strong", {}, "This repository is not trusted."),
        changed.length > 0 && [" It was, and since then ", listed(changed), " changed."]),
      commands.length > 0 && [
        h("p", {}, code(PROJECT_FILE), " wants these commands run:"),
        h("ul", {}, commands.map((command) => h("li", {}, code(command)))),
      ],
      brought.length > 0 && h("p", {}, "Hooks, MCP servers and settings for the agent are left out: ", listed(brought), "."),
      this.state.mayWiden ? this.#choices(commands) : this.#elsewhere());
  }

  #choices(commands) {
    const button = h("button", { type: "button", onclick: () => this.#trust(button) }, "Trust this repository");
    return [
      commands.length > 0 && h("label", { class: "choice" }, this.skip, " Run without these commands (the end then says: not verified)"),
      h("p", {}, button),
    ];
  }

  // Only a page on the server's machine may trust anything.
  #elsewhere() {
    return h("p", {}, "To trust it, run this on the machine that the server runs on: ", code(`surefire trust ${quoted(this.#directory)}`));
  }

  // Trust is in what HEAD has now, which may be more than was listed: so the answer is what is shown.
  async #trust(button) {
    const directory = this.#directory;
    button.disabled = true;
    try {
      const { commands } = await this.#asked("trust_directory", directory);
      if (directory !== this.#directory) return;
      const runs = commands.length > 0 && [" The engine runs ", listed(commands), "."];
      fill(this.element, h("p", {}, h("strong", {}, "This repository is trusted."), runs));
    } catch (error) {
      button.disabled = false;
      button.after(h("span", { class: "problem", role: "alert" }, ` ${error.message}`));
    }
  }
}

const code = (text) => h("code", {}, text);

const listed = (names) => names.flatMap((name, index) => (index === 0 ? [code(name)] : [", ", code(name)]));
