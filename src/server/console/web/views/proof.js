// What was checked, refused, found and changed in a run. The output of commands, and the words of
// agents and commits, never become markup.

import { h, marked } from "../dom.js";
import { icon } from "../icons.js";
import { count } from "../words.js";
import { round, rounds } from "./findings.js";
import { Part } from "./part.js";
import { Rows } from "./rows.js";

// How many characters of a commit's id are shown.
const SHORT_ID_CHARS = 7;

// A list with at most this many files is unfolded.
const MAX_OPEN_FILES = 12;

// Why a file may not be changed, in the words of the card.
const RULES = {
  denied: ({ pattern }) => `denied by \`${pattern}\``,
  not_allowed: () => "not in the allowed scope",
  lockfile: () => "a lockfile",
  trusted_file: () => "the repository's trust depends on it",
  read_only_step: () => "written in a step that may not edit",
};

export class Proof {
  constructor() {
    this.violations = new Part("Not allowed", violation, "The run changed these files, which it is not allowed to change.");
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
    if (first) this.folded.open = files.length <= MAX_OPEN_FILES;
    this.files.show(files, total - files.length, "more");
  }
}

// Something that the engine looked up, or a command that it ran, with its findings or output
// folded.
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

// A tool that the agent was not allowed to use, and the options that allow it.
function refusal({ step, visit, tool, input, times, options }) {
  return h("li", {},
    h("p", {}, h("strong", {}, tool), input && [" ", h("code", {}, input)], times > 1 && ` ${times} times`),
    h("p", { class: "hint" }, `step ${visit}: ${step}`),
    h("p", { class: "hint" }, options ? ["Allow it by starting or resuming with ", h("code", {}, options), "."] : "No known option allows it."));
}

// A file that the run may not change, and the rule that says so.
function violation({ path, rule, ...more }) {
  return h("li", {}, h("code", {}, path), " ", h("span", { class: "hint" }, marked(RULES[rule]?.(more) ?? rule)));
}

function commit({ id, subject }) {
  return h("li", { class: "commit" }, h("code", {}, id.slice(0, SHORT_ID_CHARS)), " ", h("span", {}, subject));
}

function file({ path, change, added, removed }) {
  const renamed = change.renamed;
  const what = renamed === undefined ? change.replace("_", " ") : "renamed";
  const lines = added === undefined && removed === undefined ? "binary" : `+${added ?? 0} −${removed ?? 0}`;
  return h("li", { class: "file" },
    h("span", { class: "name" }, h("code", {}, path), ` ${what}`, renamed !== undefined && [" from ", h("code", {}, renamed)]),
    h("span", { class: "lines" }, lines));
}
