// The confirmation of an action that cannot be undone.

import { h } from "../dom.js";

// Opens the dialog, and calls `act` if the user confirms.
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
