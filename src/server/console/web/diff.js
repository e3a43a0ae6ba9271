// Parses a unified diff into its files, and their lines by kind. File content is never mistaken for
// diff syntax: the length of a hunk comes from its header.

// The header of a hunk: how many lines of the old and of the new file follow, by default one.
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

// Control characters, and characters that change the direction of text. They could control a
// terminal, or make code look different from what runs.
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

// Replaces invisible characters with their code points.
export const visible = (text) =>
  text.replace(INVISIBLE, (one) => `⟨U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

// The files of a diff, in order. The `parts` of a file are adjacent lines of one kind: `hunk`,
// `added`, `removed`, `same` or `note`.
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

// Adds a line to the last part if it is of the same kind, so that a long file has few elements.
function put(file, kind, line) {
  const last = file.parts.at(-1);
  if (last?.kind === kind) last.lines.push(line);
  else file.parts.push({ kind, lines: [line] });
  file.length += 1;
}

// Reads a line between a file's name and its first hunk.
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

// A name from a diff. It has its side as a prefix, a tab after it if it contains spaces, and quotes
// if it contains special characters.
const sided = (name) => (name === null || name === "/dev/null" ? null : name.replace(/\t$/, "").replace(/^("?)[ab]\//, "$1"));

// The name of a file without lines: the header has it twice, with the same length.
const inBoth = (names) => sided(names.slice((names.length + 1) / 2));
