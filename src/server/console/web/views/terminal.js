// What can only be done in a terminal of the machine that the server runs on.

import { h } from "../dom.js";

// A word as a shell takes it.
export const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

// Says which command that is.
export function inTerminal(title, command) {
  const dialog = h("dialog", { "aria-labelledby": "terminal-title" },
    h("form", { method: "dialog" },
      h("h2", { id: "terminal-title" }, title),
      h("p", {}, "Run this in a terminal on the machine that the server runs on:"),
      h("pre", { tabindex: "0" }, command),
      h("div", { class: "actions" }, h("button", { autofocus: true }, "Close"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
