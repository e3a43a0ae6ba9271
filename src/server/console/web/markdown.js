// Replies are written in Markdown. A library splits it into tokens, which become elements with
// texts here: HTML in a reply is shown literally.

import { lexer } from "./vendor/marked.js";
import { h } from "./dom.js";

// How much of a text is parsed; the rest is shown as plain text.
const MAX_PARSED_CHARS = 50_000;

// A text with more markup characters in one paragraph, or more levels in one line, was not written
// for people, and would keep the library busy for seconds. It is shown as plain text.
const MAX_MARKUP_CHARS = 1_500;
const TOO_MANY_LEVELS = /^(?:[ \t]*(?:>|(?:[-*+]|\d+[.)])(?=[ \t]))){30}/m;

// The longest code block that may be the report of an outcome.
const MAX_REPORT_CHARS = 4_000;

// The elements of a text.
export function rendered(text) {
  const [start, rest] = [text.slice(0, MAX_PARSED_CHARS), text.slice(MAX_PARSED_CHARS)];
  if (!parsesFast(start)) return [h("pre", {}, text)];
  try {
    return [...lexer(start, { gfm: true }).map(block), rest && h("pre", {}, rest)];
  } catch {
    return [h("pre", {}, text)];
  }
}

function parsesFast(text) {
  const fits = (paragraph) => (paragraph.match(/[*_~`[\]<!]/g)?.length ?? 0) <= MAX_MARKUP_CHARS;
  return !TOO_MANY_LEVELS.test(text) && text.split(/\n[ \t]*\n/).every(fits);
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

// A reply ends with a JSON block for the engine, which is shown as a sentence.
function report(text) {
  if (text.length > MAX_REPORT_CHARS || !text.startsWith("{")) return null;
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

// Characters that Markdown writes as HTML entities.
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
        // An image could be fetched from any host, and HTML is never rendered.
        return token.raw;
    }
  });
}

// A link opens in a new tab, and leads only to `http` and `https` addresses.
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
