// Where a run works: its worktree, and the repository's commands that were not run because it is
// not trusted.

import { fill, h } from "../dom.js";
import { Part } from "./part.js";

// How many characters of a commit's id are shown.
const SHORT_ID_CHARS = 7;

export class Workplace {
  #drawn = null;

  constructor() {
    this.skipped = new Part("Not verified", (command) => h("li", {}, h("code", {}, command)),
      "The repository asks to run these commands. It is not trusted, so the engine did not run them.");
    this.facts = h("dl", {});
    this.worktree = h("section", { class: "card proof", "aria-label": "Worktree", hidden: true }, h("h2", {}, "Worktree"), this.facts);
    this.element = h("div", {}, this.skipped.element, this.worktree);
  }

  show({ view: { workplace = {} } }) {
    const { worktree, skipped = [] } = workplace;
    this.skipped.show(skipped);
    this.worktree.hidden = !worktree;
    const state = JSON.stringify(worktree);
    if (!worktree || state === this.#drawn) return;
    this.#drawn = state;
    const { branch, path, repository, end } = worktree;
    const facts = [["Branch", code(branch)], ["Directory", code(path)], ["Created from", code(repository)], ["Now", became(end)]];
    fill(this.facts, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }
}

// What became of a worktree after its run.
function became(end) {
  const at = end?.commit ? [" at ", code(end.commit.slice(0, SHORT_ID_CHARS))] : null;
  switch (end?.how) {
    case "merged":
      return ["merged", end.into && [" into ", code(end.into)], at];
    case "discarded":
      return at ? ["discarded", at, "; git can find that commit for a while"] : "discarded; nothing was left of it";
    default:
      return "neither merged nor discarded";
  }
}

const code = (text) => h("code", {}, text);
