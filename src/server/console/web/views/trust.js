// The notice about a repository that is not trusted: what it asks to run, how to trust it, and how
// to run without it.

import { fill, h } from "../dom.js";
import { shellQuote } from "./terminal.js";

// The file whose commands the engine runs. The others configure what the agent runs.
const PROJECT_FILE = "surefire.toml";

export class TrustNotice {
  // The directory of the latest request: the answer about another one is not shown.
  #directory = "";

  constructor(state) {
    this.state = state;
    this.skip = h("input", { type: "checkbox" });
    this.element = h("section", { class: "trust", role: "status", "aria-label": "Trust", hidden: true });
  }

  // Whether the user wants to run without the repository's commands.
  get skips() {
    return !this.element.hidden && this.skip.isConnected && this.skip.checked;
  }

  // Reads whether the repository of a directory is trusted. If that fails, the start will say what
  // is wrong.
  async read(directory) {
    if (directory === this.#directory) return;
    this.#directory = directory;
    this.skip.checked = false;
    this.element.hidden = true;
    if (!directory) return;
    const trust = await this.#request("get_directory_trust", directory).catch(() => null);
    if (trust && directory === this.#directory) this.#show(trust);
  }

  #request(type, directory) {
    return this.state.connection.request({ type, working_directory: directory }, "directory_trust");
  }

  #show({ trusted, files, changed = [], commands }) {
    const agentFiles = files.filter((file) => file !== PROJECT_FILE);
    this.element.hidden = trusted || (commands.length === 0 && agentFiles.length === 0);
    if (this.element.hidden) return;
    fill(this.element,
      h("p", {}, h("strong", {}, "This repository is not trusted."),
        changed.length > 0 && [" It was trusted before, but these files have changed since: ", listed(changed), "."]),
      commands.length > 0 && [
        h("p", {}, code(PROJECT_FILE), " asks to run these commands:"),
        h("ul", {}, commands.map((command) => h("li", {}, code(command)))),
      ],
      agentFiles.length > 0 && h("p", {}, "Hooks, MCP servers and settings for the agent are left out: ", listed(agentFiles), "."),
      this.state.mayWiden ? this.#choices(commands) : this.#trustCommand());
  }

  #choices(commands) {
    const button = h("button", { type: "button", onclick: () => this.#trust(button) }, "Trust this repository");
    return [
      commands.length > 0 && h("label", { class: "choice" }, this.skip, " Run without these commands (the run is then reported as not verified)"),
      h("p", {}, button),
    ];
  }

  // Only a page on the server's machine may trust a repository; elsewhere the command is shown.
  #trustCommand() {
    return h("p", {}, "To trust it, run this on the machine that the server runs on: ", code(`surefire trust ${shellQuote(this.#directory)}`));
  }

  // Trust applies to what HEAD has now, which may be more than was listed, so the commands in the
  // answer are shown.
  async #trust(button) {
    const directory = this.#directory;
    button.disabled = true;
    try {
      const { commands } = await this.#request("trust_directory", directory);
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
