// The page: which view is shown, and what stands around it. Start reading here, then go to state.js.

import { fill, h } from "./dom.js";
import { State } from "./state.js";
import { confirm } from "./views/confirm.js";
import { pair } from "./views/pair.js";
import { recipe } from "./views/recipe.js";
import { recipes } from "./views/recipes.js";
import { run } from "./views/run.js";
import { runs } from "./views/runs.js";
import { session } from "./views/session.js";
import { count } from "./words.js";

// Where the key is kept: in this tab's own session, and nowhere else.
const KEY = "surefire-key";

const WORDS = { off: "not paired", connecting: "connecting…", on: "connected", waiting: "reconnecting…", refused: "wrong key" };

const state = new State();
const content = document.getElementById("content");
const indicator = document.getElementById("connection");
const lost = document.getElementById("lost");
const notice = document.getElementById("notice");
const orchestration = document.getElementById("orchestration");

// Ends the view that is shown.
let leave = null;
// Counts what was shown, so that a view that comes late does not cover a newer one.
let turn = 0;
// Whether the view could not be shown, and is worth another try.
let failed = false;

async function show() {
  const mine = ++turn;
  const address = location.hash;
  leave?.();
  leave = null;
  failed = false;
  content.setAttribute("aria-busy", "true");
  const { view, current } = route();
  mark(current);
  try {
    const shown = await view();
    // Somebody may have gone on while this was read.
    if (mine !== turn) return shown.leave?.();
    leave = shown.leave;
    put(address, shown.element);
    entitle(shown.title);
    shown.begin?.();
  } catch (error) {
    if (mine !== turn) return;
    failed = true;
    entitle("Not shown");
    put(address,
      h("h1", {}, "This cannot be shown"),
      h("p", { class: "problem", role: "alert" }, error.message),
      h("p", {}, h("a", { class: "back", href: "#/" }, "To the recipes")));
  }
}

// Puts a view into the page, and says which address it belongs to: until now the last one was to be seen.
function put(address, ...view) {
  content.removeAttribute("aria-busy");
  content.dataset.address = address;
  fill(content, ...view);
  scrollTo(0, history.state?.down ?? 0);
}

function entitle(title) {
  document.title = `${title} · Surefire`;
}

// The view that the address asks for, and the place in the menu that it belongs to.
function route() {
  if (!state.key || state.connectionState === "refused") return { view: () => pair(state), current: null };
  const [path, query = ""] = location.hash.replace(/^#/, "").split("?");
  const [, page, id] = path.split("/").map(decoded);
  if (page === "recipes" && id) return { view: () => recipe(state, id, entitle), current: "#/" };
  if (page === "runs" && id) return { view: () => run(state, id.toLowerCase(), entitle), current: "#/runs" };
  if (page === "sessions" && id) return { view: () => session(state, id.toLowerCase(), entitle), current: "#/" };
  if (page === "runs") return { view: () => runs(state, new URLSearchParams(query)), current: "#/runs" };
  return { view: () => recipes(state), current: "#/" };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function mark(current) {
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function connectionChanged() {
  const now = state.connectionState;
  indicator.textContent = WORDS[now];
  indicator.dataset.state = now;
  const away = state.lostSince && now !== "on";
  if (!away) fill(lost);
  else if (!lost.hasChildNodes()) {
    const since = state.lostSince.toLocaleTimeString();
    fill(lost,
      h("p", {}, `The connection was lost at ${since}. What you see may be old; it comes back by itself.`),
      h("button", { onclick: () => state.connection.wake() }, "Try now"));
  }
  if (now === "on") {
    sessionStorage.setItem(KEY, state.key);
    if (failed || content.querySelector("#key")) show();
  }
  if (now === "refused") {
    sessionStorage.removeItem(KEY);
    orchestration.hidden = true;
    fill(lost);
    closeDialogs();
    show();
  }
}

// A question is about the view that it was asked in.
function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
}

function recipesChanged() {
  orchestration.hidden = false;
  orchestration.querySelector("input").checked = state.enabled;
  orchestration.querySelector("span").textContent = state.enabled ? "Recipes on" : "Recipes off";
}

function noticed() {
  const close = () => state.notify(null);
  fill(notice, state.notice && [h("p", {}, state.notice), h("button", { onclick: close, "aria-label": "Close this message" }, "×")]);
}

const CHANGED = { connection: connectionChanged, recipes: recipesChanged, notice: noticed };
state.addEventListener("change", ({ detail: { what } }) => CHANGED[what]?.());

// Takes the key out of the address, so that it stays in no history. One that lost something on the way is still most of a key.
function keyInAddress() {
  const found = /^#key=(untethered-[0-9a-f]{32}$)?/.exec(location.hash);
  if (found) history.replaceState(null, "", "#/");
  return found?.[1];
}

// It leads somewhere on this page, where every other address is a view.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  content.focus();
});

addEventListener("hashchange", () => {
  const key = keyInAddress();
  if (key) state.pair(key);
  state.notify(null);
  closeDialogs();
  show();
  content.focus({ preventScroll: true });
});

// Each place in the browser's history keeps how far down somebody was. The browser would go there before the view is drawn.
history.scrollRestoration = "manual";
const view = (address) => address?.split("?")[0];
const remember = () => {
  // What is seen may still be the view before. What is searched for in one does not make it another.
  if (view(content.dataset.address) === view(location.hash)) history.replaceState({ down: scrollY }, "");
};
addEventListener("scrollend", remember);
addEventListener("click", remember, { capture: true });

orchestration.querySelector("input").addEventListener("change", ({ target }) => {
  // The server says what it is set to now; until then nothing has changed.
  const enabled = target.checked;
  target.checked = state.enabled;
  const set = () => state.say({ type: "set_orchestration", enabled });
  const going = state.going.length;
  if (enabled || going === 0) return set();
  const words = `That stops ${count(going, "run")} now, and none can start until they are switched on again.`;
  confirm("Switch recipes off?", words, "Switch off", set);
});

const key = keyInAddress() ?? sessionStorage.getItem(KEY);
if (key) state.pair(key);
show();
