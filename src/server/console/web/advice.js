// What to do after a run has ended: up to three things, each of which works.

import { dollars, took } from "./words.js";

// How many more visits of each step to suggest, and how many more steps.
const VISITS = 2;
const STEPS = 20;

// Limits that a run has hit, and how they are raised. A reason may name its step behind a colon.
const RAISED = {
  "max-step-visits-exceeded": () => ({ label: `Allow ${VISITS} more visits and resume`, limits: { allow_visits: VISITS } }),
  "max-total-steps": () => ({ label: `Allow ${STEPS} more steps and resume`, limits: { allow_steps: STEPS } }),
  timeout: ({ limits }) => {
    const seconds = Math.max(60, (limits.time?.secs ?? 3600) * 2);
    return { label: `Allow ${took(seconds * 1000)} and resume`, limits: { time_s: seconds } };
  },
  max_ticks: ({ limits, turns }) => {
    const ticks = Math.max(2, (limits.max_ticks ?? turns) * 2);
    return { label: `Allow ${ticks} turns and resume`, limits: { max_ticks: ticks } };
  },
  cost_budget: ({ limits, cost }) => {
    const budget = Math.max(1, Math.ceil(Math.max(limits.budget_usd ?? 0, cost) * 2));
    return { label: `Allow ${dollars(budget)} and resume`, limits: { budget_usd: budget } };
  },
};

// Ends after which the same run cannot go on, or would stop again at once.
const FINAL = new Set(["max-restarts", "restart-new-session", "session_locked", "context_exhausted", "orchestration-disabled"]);

// What can be done: `{ act: "follow" | "resume" | "answer" | "again" | "stop", label, … }`, the most useful first. `onOffer` says
// whether the recipe still is.
export function advice(story, onOffer) {
  const { ending } = story;
  const again = onOffer && { act: "again", label: "Start again…" };
  if (ending.continued_by) return [{ act: "follow", label: "Follow the run that continues this one", run: ending.continued_by }];
  if (ending.resume_at) return [{ act: "resume", label: "Resume now", limits: {} }, { act: "stop", label: "Stop for good" }];
  const reason = ending.reason.split(":")[0];
  if (ending.goal_met || FINAL.has(reason)) return [again].filter(Boolean);
  const resume = { act: "resume", limits: {}, label: "Resume", ...RAISED[reason]?.(story) };
  // Somebody is asked something: the answer goes along with a new run in the same conversation.
  const asked = onOffer && ending.category === "completed" && ending.outcome;
  const answer = asked && { act: "answer", label: "Answer and start again…" };
  return [answer, resume, again].filter(Boolean);
}
