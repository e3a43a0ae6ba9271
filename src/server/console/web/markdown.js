// Replies are written in Markdown. It is taken apart by a library and put together here, as elements with texts: whatever HTML is in
// it is shown as the letters it is made of.

import { lexer } from "./vendor/marked.js";
import { h } from "./dom.js";

// How much of a text is taken apart; what is behind that is shown as it is.
const MOST = 50_000;

// The most signs of Markdown in one paragraph, and the most levels in one line. What has more was not written for people, and would
// keep the library busy for seconds.
const SIGNS = 1_500;
const LEVELS = /^(?:[ \t]*(?:>|(?:[-*+]|\d+[.)])(?=[ \t]))){30}/m;

// The longest block that is still looked at as the report of an outcome.
const LONGEST_REPORT = 4_000;

// The elements of a text.
export function rendered(text) {
  const [start, rest] = [text.slice(0, MOST), text.slice(MOST)];
  if (!harmless(start)) return [h("pre", {}, text)];
  try {
    return [...lexer(start, { gfm: true }).map(block), rest && h("pre", {}, rest)];
  } catch {
    return [h("pre", {}, text)];
  }
}

function harmless(text) {
  const fits = (paragraph) => (paragraph.match(/[*_~`[\]<!]/g)?.length ?? 0) <= SIGNS;
  return !LEVELS.test(text) && text.split(/\n[ \t]*\n/).every(fits);
}

function block(token) {
  switch (token.type) {
    case "space":
      return null;
    case "heading":
      // The page has headings of its own above these.
      return h(`h${Math.min(6, token.depth + 3)}`, {}, inline(token.tokens));
    case "paragraph":
      return h("p", {}, inline(token.tokens));
    case "text":
      return token.tokens ? inline(token.tokens) : plain(token.text);
    case "code":
      return report(token.text) ?? h("pre", { tabindex: "0" }, h("code", {}, token.text));
    case "blockquote":
      return h("blockquote", {}, token.tokens.map(block));
    case "list":
      return h(token.ordered ? "ol" : "ul", token.ordered ? { start: token.start } : {}, token.items.map(item));
    case "checkbox":
      return checkbox(token);
    case "hr":
      return h("hr");
    case "table":
      return h("div", { class: "wide" }, table(token));
    default:
      return h("p", {}, token.raw);
  }
}

// The block that a reply ends with, for the engine; people want to read what it says.
function report(text) {
  if (text.length > LONGEST_REPORT || !text.startsWith("{")) return null;
  try {
    const { outcome, otherDescription } = JSON.parse(text);
    if (typeof outcome !== "string") return null;
    return h("p", { class: "report" }, "reports ", h("code", {}, outcome), typeof otherDescription === "string" && `: ${otherDescription}`);
  } catch {
    return null;
  }
}

function item(token) {
  return h("li", { class: token.task && "task" }, token.tokens.map(block));
}

function checkbox({ checked }) {
  return h("input", { type: "checkbox", disabled: true, checked, "aria-label": checked ? "done" : "to do" });
}

// The signs that are written as names, because they mean something in HTML or cannot be typed.
const NAMED = { amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'", nbsp: "\u00a0", "#39": "'" };
const plain = (text) => text.replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (_, name) => NAMED[name]);

function table(token) {
  const row = (cells, name) => h("tr", {}, cells.map((cell) => h(name, {}, inline(cell.tokens))));
  return h("table", {}, h("thead", {}, row(token.header, "th")), h("tbody", {}, token.rows.map((cells) => row(cells, "td"))));
}

function inline(tokens = []) {
  return tokens.map((token) => {
    switch (token.type) {
      case "strong":
        return h("strong", {}, inline(token.tokens));
      case "em":
        return h("em", {}, inline(token.tokens));
      case "del":
        return h("del", {}, inline(token.tokens));
      case "codespan":
        return h("code", {}, token.text);
      case "br":
        return h("br");
      case "link":
        return link(token);
      case "checkbox":
        return checkbox(token);
      case "escape":
        return token.text;
      case "text":
        return token.tokens ? inline(token.tokens) : plain(token.text);
      default:
        // Pictures would be fetched from anywhere, and HTML is not for us.
        return token.raw;
    }
  });
}

// A link that leads out of here, and nowhere but to a page.
function link(token) {
  const words = inline(token.tokens);
  let address;
  try {
    address = new URL(token.href);
  } catch {
    return h("span", { title: token.href }, words);
  }
  if (!["http:", "https:"].includes(address.protocol)) return h("span", { title: token.href }, words);
  return h("a", { href: address.href, target: "_blank", rel: "noopener noreferrer" }, words);
}
