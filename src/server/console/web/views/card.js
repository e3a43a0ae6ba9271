// The end of a run: what happened, why, and what to do next. All texts come from the server.

import { h, marked } from "../dom.js";
import { icon } from "../icons.js";
import { moment } from "../words.js";

// The card, with a button for each action.
export function card({ view: { end, status, details } }, actions) {
  const kind = { class: `end card ${status.name}`, "data-category": end.category, "data-reason": end.reason };
  return h("section", { ...kind, role: "status", tabindex: "-1" },
    h("div", { class: "sign" }, icon(status.name)),
    h("div", { class: "story" },
      h("p", { class: "kind" }, status.words),
      h("h2", {}, end.title),
      h("p", { class: "message" }, end.message),
      end.description && h("blockquote", {}, end.description),
      end.resume_at && h("p", {}, "It resumes automatically at ", h("strong", {}, moment(end.resume_at)), "."),
      details.length > 0 && h("ul", { class: "details" }, details.map(({ label, text }) => h("li", {}, `${label}: `, marked(text)))),
      end.rehearsal && h("p", { class: "rehearsed" }, h("span", { class: "rehearsal" }, end.rehearsal)),
      h("p", { class: "helps" }, marked(end.hint)),
      h("p", { class: "hint why" }, marked(end.why)),
      h("p", { class: "hint summary" }, end.summary)),
    h("div", { class: "actions" }, actions.map(({ label, kind, act }, index) =>
      h("button", { class: index === 0 ? "primary" : "", "data-act": kind, onclick: act }, label))));
}
