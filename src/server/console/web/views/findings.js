// What the reviews of a run found, round by round. The agent's words never become markup.

import { h } from "../dom.js";
import { count } from "../words.js";

// The status of a round's findings. Only the last round of a step says what is still open.
const STANDS = {
  settled: () => "settled",
  open: (total) => `${total} open`,
  superseded: () => "reviewed again since",
};

// The rounds, each with its status.
export function rounds(reviews) {
  const isLast = ({ step }, index) => !reviews.slice(index + 1).some((later) => later.step === step);
  return reviews.map((review, index) => ({ ...review, stands: review.settled ? "settled" : isLast(review, index) ? "open" : "superseded" }));
}

// One round of a review.
export function round({ step, round: number, visit, findings, more = 0, stands }) {
  return h("li", { class: "review", "data-stands": stands },
    h("p", {}, h("strong", {}, `Round ${number}`), " of ", h("code", {}, step), ": ",
      h("span", { class: "tag" }, STANDS[stands](findings.length + more))),
    h("p", { class: "hint" }, `step ${visit} · ${count(findings.length + more, "finding")}`),
    h("ul", {}, findings.map(finding)),
    more > 0 && h("p", { class: "hint" }, `and ${more} more`));
}

function finding({ text, file, line, severity }) {
  const place = file && (line === undefined ? file : `${file}:${line}`);
  return h("li", { class: "finding" },
    place && [h("code", {}, place), " "],
    severity && [h("span", { class: "tag severity" }, severity), " "],
    h("span", { class: "text" }, text));
}
