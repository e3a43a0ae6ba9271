// The page: the router, and the header around the views. Start reading here, then go to state.js.

import { Attention, forgetSeen } from "./attention.js";
import { fill, h } from "./dom.js";
import { storedPass, watch } from "./pass.js";
import { State } from "./state.js";
import { confirm } from "./views/confirm.js";
import { found } from "./views/found.js";
import { pair } from "./views/pair.js";
import { recipe } from "./views/recipe.js";
import { recipes } from "./views/recipes.js";
import { run } from "./views/run.js";
import { runs } from "./views/runs.js";
import { session } from "./views/session.js";
import { count } from "./words.js";

const WORDS = { off: "not paired", connecting: "connecting…", on: "connected", waiting: "reconnecting…", refused: "wrong key" };

const state = new State();
const attention = new Attention(state, drawAttention);
const content = document.getElementById("content");
const indicator = document.getElementById("connection");
const lost = document.getElementById("lost");
const notice = document.getElementById("notice");
const orchestration = document.getElementById("orchestration");
const signOut = document.getElementById("sign-out");

const icon = document.querySelector("link[rel=icon]");
const runsLink = document.querySelector('nav a[href="#/runs"]');

const ICON = icon.getAttribute("href");
const ICON_ATTENTION = "/console/icon-attention.svg";

// Ends the view that is shown.
let leave = null;
// The title of the view, and the run that it shows.
let viewTitle = "";
let shownRun = null;
// Increases with each navigation, so that a view that loads late does not replace a newer one.
let navigation = 0;
// Whether the view failed to load; a reconnect tries it again.
let failed = false;

async function show() {
  const mine = ++navigation;
  const address = location.hash;
  leave?.();
  leave = null;
  if (shownRun) attention.left(shownRun);
  shownRun = null;
  failed = false;
  content.setAttribute("aria-busy", "true");
  const { view, current } = route();
  mark(current);
  try {
    const shown = await view();
    // The user may have navigated away while this loaded.
    if (mine !== navigation) return shown.leave?.();
    leave = shown.leave;
    shownRun = shown.run ?? null;
    put(address, shown.element);
    setTitle(shown.title);
    shown.begin?.();
  } catch (error) {
    if (mine !== navigation) return;
    failed = true;
    setTitle("Not shown");
    put(address,
      h("h1", {}, "This page cannot be shown"),
      h("p", { class: "problem", role: "alert" }, error.message),
      h("p", {}, h("a", { class: "back", href: "#/" }, "Back to the recipes")));
  }
}

// Replaces the content, and records its address: until now the previous view was still shown.
function put(address, ...view) {
  content.removeAttribute("aria-busy");
  content.dataset.address = address;
  fill(content, ...view);
  scrollTo(0, history.state?.down ?? 0);
}

function setTitle(title) {
  viewTitle = title;
  drawAttention();
}

// The tab's title and icon, and the link to the runs, say when a run needs a person.
function drawAttention() {
  const { runs } = attention;
  const needs = runs.length > 0;
  document.title = `${needs ? `● ${demand(runs)} · ` : ""}${viewTitle} · Surefire`;
  const wanted = needs ? ICON_ATTENTION : ICON;
  if (icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
  if (!needs) {
    runsLink.removeAttribute("data-needs");
    runsLink.removeAttribute("aria-description");
    return;
  }
  runsLink.dataset.needs = runs.length;
  runsLink.setAttribute("aria-description", demand(runs));
}

// The view's title already names the run that it shows.
function demand([{ id, label }, ...others]) {
  if (others.length > 0) return `${others.length + 1} runs need you`;
  return id === shownRun ? "Needs you" : `Needs you: ${label}`;
}

// The view for the address, and its link in the menu.
function route() {
  if (!state.key || state.connectionState === "refused") return { view: () => pair(state), current: null };
  const [path, query = ""] = location.hash.replace(/^#/, "").split("?");
  const [, page, id] = path.split("/").map(decoded);
  if (page === "recipes" && id) return { view: () => recipe(state, id, setTitle), current: "#/" };
  if (page === "runs" && id) return { view: () => found(state, id.toLowerCase(), (whole) => run(state, whole, setTitle)), current: "#/runs" };
  if (page === "sessions" && id) return { view: () => session(state, id.toLowerCase(), setTitle), current: "#/" };
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
  indicator.textContent = state.signedOut ? WORDS.off : WORDS[now];
  indicator.dataset.state = now;
  const away = state.lostSince && now !== "on";
  if (!away) fill(lost);
  else if (!lost.hasChildNodes()) {
    const since = state.lostSince.toLocaleTimeString();
    fill(lost,
      h("p", {}, `The connection was lost at ${since}. What you see may be out of date; the page reconnects automatically.`),
      h("button", { onclick: () => state.connection.wake() }, "Try now"));
  }
  if (now === "on") {
    signOut.hidden = false;
    if (failed || content.querySelector("#key")) show();
  }
  if (now === "refused") {
    signOut.hidden = true;
    orchestration.hidden = true;
    fill(lost);
    closeDialogs();
    show();
  }
}

// A dialog belongs to the view that opened it.
function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
}

function recipesChanged() {
  orchestration.hidden = false;
  orchestration.querySelector("input").checked = state.enabled;
  orchestration.querySelector("span").textContent = state.enabled ? "Recipes on" : "Recipes off";
}

function noticeChanged() {
  const close = () => state.notify(null);
  fill(notice, state.notice && [h("p", {}, state.notice), h("button", { onclick: close, "aria-label": "Close this message" }, "×")]);
}

const CHANGED = { connection: connectionChanged, recipes: recipesChanged, notice: noticeChanged };
state.addEventListener("change", ({ detail: { what } }) => CHANGED[what]?.());

// Removes the key from the address, so that it does not stay in the history. A truncated key is
// removed too: it is still most of the secret.
function keyInAddress() {
  const found = /^#key=(untethered-[0-9a-f]{32}$)?/.exec(location.hash);
  if (found) history.replaceState(null, "", "#/");
  return found?.[1];
}

// Its target is an element of the page; the router would take the address for that of a view.
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

// Each history entry keeps its scroll position. The browser itself would restore it before the view
// is drawn.
history.scrollRestoration = "manual";
const view = (address) => address?.split("?")[0];
const remember = () => {
  // The content may still be the previous view. A different query is still the same view.
  if (view(content.dataset.address) === view(location.hash)) history.replaceState({ down: scrollY }, "");
};
addEventListener("scrollend", remember);
addEventListener("click", remember, { capture: true });

orchestration.querySelector("input").addEventListener("change", ({ target }) => {
  // The switch changes once the server confirms the new setting.
  const enabled = target.checked;
  target.checked = state.enabled;
  const set = () => state.send({ type: "set_orchestration", enabled });
  const running = state.running.length;
  if (enabled || running === 0) return set();
  const words = `This stops ${count(running, "run")} now. No run can start until recipes are switched on again.`;
  confirm("Switch recipes off?", words, "Switch off", set);
});

// The reload discards everything that the server has sent to this tab.
signOut.addEventListener("click", () => {
  forgetSeen();
  state.signOut().then(() => location.reload());
});

// Tabs of one browser sign in and out together.
watch((pass) => {
  if (!pass) location.reload();
  else if (!state.key || state.connectionState === "refused") state.pair(pass);
});

const key = keyInAddress() ?? storedPass();
if (key) state.pair(key);
show();
