// Times and numbers, formatted for people.

// `250 ms`, `42 s`, `3 min 2 s`, `1 h 5 min`.
export function took(milliseconds) {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const seconds = Math.floor(milliseconds / 1000);
  const [minutes, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(seconds / unit));
  const parts = [[days, "d"], [hours % 24, "h"], [minutes % 60, "min"], [seconds % 60, "s"]];
  const first = parts.findIndex(([number]) => number > 0);
  return parts.slice(first, first + 2).filter(([number]) => number > 0).map(([number, unit]) => `${number} ${unit}`).join(" ");
}

// The same for what is still running, without milliseconds, which would only flicker.
export const sofar = (milliseconds) => (milliseconds < 1000 ? "0 s" : took(milliseconds));

export function ago(time, now = Date.now()) {
  const minutes = Math.floor((now - Date.parse(time)) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / 1440)} d ago`;
}

// The time of day, with the date unless it is today.
export function moment(time) {
  const [then, now] = [new Date(time), new Date()];
  return then.toDateString() === now.toDateString() ? then.toLocaleTimeString() : then.toLocaleString();
}

export const dollars = (amount) => `$${amount.toFixed(2)}`;

export const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

// The beginning of an id, which is enough for a person to distinguish runs.
export const short = (id) => id.slice(0, 8);
