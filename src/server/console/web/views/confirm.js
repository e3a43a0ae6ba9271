// A question that is asked before something is done that cannot be taken back.

import { h } from "../dom.js";

// Asks, and does it if the answer is yes.
export function confirm(title, words, yes, act) {
  const dialog = h("dialog", { "aria-labelledby": "confirm-title" },
    h("form", { method: "dialog" },
      h("h2", { id: "confirm-title" }, title),
      h("p", {}, words),
      h("div", { class: "actions" },
        h("button", { class: "danger", onclick: act }, yes),
        h("button", { autofocus: true }, "Cancel"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
