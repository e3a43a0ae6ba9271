// A unified diff, taken apart: its files, and their lines by what became of them. Nothing that stands in a file can end it: how long a
// part is comes from the line that begins it.

// The line that begins a part: how many lines of the old file and of the new one follow, one where it does not say.
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

// What would direct a terminal, or have a text read otherwise than it is run: control characters and those that change directions.
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

// A text in which characters that cannot be seen are named.
export const seen = (text) =>
  text.replace(UNSEEN, (one) => `⟨U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

// The files of a diff, in order. The `parts` of one are lines that belong together: `hunk`, `added`, `removed`, `same` or `note`.
export function filesOf(text) {
  const files = [];
  let file = null;
  let [removed, added] = [0, 0];
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const hunk = HUNK.exec(line);
    if (line.startsWith("\\") && file?.parts.length > 0) {
      put(file, "note", line);
    } else if (removed > 0 || added > 0) {
      const kind = { "-": "removed", "+": "added" }[line[0]] ?? "same";
      if (kind !== "added") removed -= 1;
      if (kind !== "removed") added -= 1;
      if (kind !== "same") file[kind] += 1;
      put(file, kind, line);
    } else if (line.startsWith("diff --git ")) {
      file = { path: inBoth(line.slice("diff --git ".length)), from: null, change: "modified", added: 0, removed: 0, length: 0, parts: [] };
      files.push(file);
    } else if (file && hunk) {
      [removed, added] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      put(file, "hunk", line);
    } else if (file) {
      head(file, line);
    }
  }
  return files;
}

// Adds a line to the last part if it is of the same kind: a long file has few elements then.
function put(file, kind, line) {
  const last = file.parts.at(-1);
  if (last?.kind === kind) last.lines.push(line);
  else file.parts.push({ kind, lines: [line] });
  file.length += 1;
}

// What stands between a file's name and its lines.
function head(file, line) {
  const after = (begin) => (line.startsWith(begin) ? line.slice(begin.length) : null);
  if (line.startsWith("new file mode")) file.change = "added";
  if (line.startsWith("deleted file mode")) file.change = "deleted";
  if (line.startsWith("Binary files ")) put(file, "note", "The content is binary.");
  if (/^(old|new) mode /.test(line)) put(file, "note", line);
  const from = after("rename from ");
  if (from !== null) Object.assign(file, { from, change: "renamed" });
  const path = after("rename to ") ?? sided(after("+++ ")) ?? sided(after("--- "));
  if (path !== null) file.path = path;
}

// A name as it stands in a diff: with its side before it, a tab behind it if it has spaces, and in quotes if it has worse.
const sided = (name) => (name === null || name === "/dev/null" ? null : name.replace(/\t$/, "").replace(/^("?)[ab]\//, "$1"));

// The name of a file that has no lines: it stands there twice, and is as long both times.
const inBoth = (names) => sided(names.slice((names.length + 1) / 2));
