// Actions that need a terminal on the server's machine.

import { h } from "../dom.js";

// Quotes a word for a shell.
export const shellQuote = (word) => `'${word.replaceAll("'", "'\\''")}'`;

// Opens a dialog with the command.
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
