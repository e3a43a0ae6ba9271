// What a run was seen to do: what was checked, refused, found and changed. What commands, agents and commits say is only ever text.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { count } from "../words.js";
import { round, rounds } from "./findings.js";
import { Part } from "./part.js";
import { Rows } from "./rows.js";

// How many characters of a commit's id are shown.
const SHORT = 7;

// A list of files is open while it has at most so many.
const FEW = 12;

// Why a file may not be changed, in the words that the card has.
const RULES = {
  denied: ({ pattern }) => `denied by \`${pattern}\``,
  not_allowed: () => "not in the allowed scope",
  lockfile: () => "a lockfile",
  trusted_file: () => "trust in the repository rests on it",
  read_only_step: () => "written in a step that may not edit",
};

export class Proof {
  constructor() {
    this.violations = new Part("Not allowed", violation, "The run changed these files although it may not.");
    this.findings = new Part("Findings", round);
    this.checked = new Part("Checked", check);
    this.refused = new Part("Refused", refusal);
    this.commits = new Rows(commit);
    this.files = new Rows(file);
    this.summary = h("summary", {});
    this.folded = h("details", {}, this.summary, this.files.element);
    this.changed = h("section", { class: "card proof", "aria-label": "Changed", hidden: true },
      h("h2", {}, "Changed"), this.commits.element, this.folded);
    this.element = h("div", {},
      this.violations.element, this.findings.element, this.checked.element, this.refused.element, this.changed);
  }

  // Shows what is known.
  show({ view: { proof = {}, details } }) {
    const { checks = [], passed = 0, failed = 0, refused = [], more_refused: moreRefused = 0, changes, more_commits: moreCommits = 0 } = proof;
    const { violations = [], reviews = [] } = proof;
    this.violations.show(violations);
    this.findings.show(rounds(reviews));
    this.checked.show(checks, passed + failed - checks.length, "earlier");
    this.refused.show(refused, moreRefused, "more");
    const { files = [], total_files: total = 0, commits = [] } = changes ?? {};
    this.changed.hidden = total === 0 && commits.length === 0;
    this.commits.show(commits, moreCommits, "more");
    const first = this.folded.hidden || !this.summary.hasChildNodes();
    this.folded.hidden = total === 0;
    this.summary.textContent = details.find(({ label }) => label === "changed")?.text ?? count(total, "file");
    if (first) this.folded.open = files.length <= FEW;
    this.files.show(files, total - files.length, "more");
  }
}

// Something that the engine looked up, or a command that it ran; what was found is folded.
function check({ step, visit, words, verdict, found = "", rehearsed }) {
  const passed = verdict.is === "passed";
  const [kind, name] = rehearsed ? ["rehearsed", "waiting"] : passed ? ["passed", "completed"] : ["failed", "failed"];
  return h("li", { class: `check ${name}`, "data-verdict": kind },
    icon(name),
    h("div", {},
      h("p", {}, marked(words)),
      h("p", { class: "hint" }, h("strong", {}, kind), ` · step ${visit}: ${step}`),
      found && h("details", {}, h("summary", {}, "What was found"), h("pre", { tabindex: "0" }, found))));
}

// A tool that the agent was not allowed to use, and what allows it.
function refusal({ step, visit, tool, input, times, options }) {
  return h("li", {},
    h("p", {}, h("strong", {}, tool), input && [" ", h("code", {}, input)], times > 1 && ` ${times} times`),
    h("p", { class: "hint" }, `step ${visit}: ${step}`),
    h("p", { class: "hint" }, options ? ["A run that is started or resumed with ", h("code", {}, options), " may use it."] : "It is not known what allows it."));
}

// A file that the run may not change, and the rule that says so.
function violation({ path, rule, ...more }) {
  return h("li", {}, h("code", {}, path), " ", h("span", { class: "hint" }, marked(RULES[rule]?.(more) ?? rule)));
}

function commit({ id, subject }) {
  return h("li", { class: "commit" }, h("code", {}, id.slice(0, SHORT)), " ", h("span", {}, subject));
}

function file({ path, change, added, removed }) {
  const renamed = change.renamed;
  const what = renamed === undefined ? change.replace("_", " ") : "renamed";
  const lines = added === undefined && removed === undefined ? "binary" : `+${added ?? 0} −${removed ?? 0}`;
  return h("li", { class: "file" },
    h("span", { class: "name" }, h("code", {}, path), ` ${what}`, renamed !== undefined && [" from ", h("code", {}, renamed)]),
    h("span", { class: "lines" }, lines));
}

// Names and commands stand in backticks.
const marked = (words) => words.split("`").map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));
