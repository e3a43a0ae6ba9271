//! Where the work tree differs from the index, from the machine-readable `git status`.

use std::path::PathBuf;

use super::program::path;
use super::refs::Head;

/// The arguments: untracked files are listed one by one and ignored ones not at all, regardless of
/// the user's configuration.
pub(super) const ARGUMENTS: [&str; 8] = [
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",
    "--no-renames",
    "--untracked-files=all",
    "--ignore-submodules=none",
];

/// What `git status` found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) head: Head,
    /// Where the work tree differs from the index.
    pub(super) differences: Vec<Difference>,
}

/// A path where the work tree differs from the index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// Relative to the top of the work tree.
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is in the index and not in the work tree.
    Missing,
    /// It is in the work tree with content that differs from the index, or not in the index.
    Present,
    /// A submodule at another commit.
    Submodule,
    /// A submodule with uncommitted changes.
    DirtySubmodule,
    /// A repository that is not a submodule: git lists none of its files.
    Embedded,
}

/// Parses it; `None` if it is not in the documented format.
pub(super) fn parse(output: &[u8]) -> Option<Status> {
    let mut status = Status { head: Head::default(), differences: Vec::new() };
    let mut records = output.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    while let Some(record) = records.next() {
        let (kind, rest) = record.split_at_checked(2)?;
        match kind {
            b"# " => header(rest, &mut status.head),
            b"1 " => status.differences.extend(tracked(rest, 8)?),
            b"2 " => {
                status.differences.extend(tracked(rest, 9)?);
                // The path it was renamed from.
                records.next()?;
            }
            b"u " => status.differences.push(unmerged(rest)?),
            b"? " => status.differences.push(untracked(rest)),
            // Ignored: not asked for.
            b"! " => {}
            _ => return None,
        }
    }
    Some(status)
}

fn header(line: &[u8], head: &mut Head) {
    let line = String::from_utf8_lossy(line);
    match line.split_once(' ') {
        Some(("branch.oid", id)) => head.commit = (id != "(initial)").then(|| id.to_owned()),
        Some(("branch.head", name)) => {
            head.branch = (name != "(detached)").then(|| name.to_owned());
        }
        // Counts, the upstream, and what later versions may add.
        _ => {}
    }
}

/// `<XY> <sub> <modes> <ids> <path>`: a space separates this many fields, the last of which is the
/// path.
fn fields(record: &[u8], count: usize) -> Option<Vec<&[u8]>> {
    let fields: Vec<_> = record.splitn(count, |byte| *byte == b' ').collect();
    (fields.len() == count).then_some(fields)
}

#[expect(clippy::option_option, reason = "unreadable, no difference, or one")]
fn tracked(record: &[u8], count: usize) -> Option<Option<Difference>> {
    let fields = fields(record, count)?;
    let (states, sub, name) = (fields.first()?, fields.get(1)?, fields.last()?);
    let kind = match (states.get(1)?, sub.first()?) {
        // Staged only: the work tree equals the index.
        (b'.', _) => return Some(None),
        (b'D', _) => Kind::Missing,
        (_, b'S') if is_dirty(sub) => Kind::DirtySubmodule,
        (_, b'S') => Kind::Submodule,
        _ => Kind::Present,
    };
    Some(Some(Difference { path: path(name), kind }))
}

/// `S<c><m><u>`: the second and the third say that tracked content is modified, and that there are
/// untracked files.
fn is_dirty(sub: &[u8]) -> bool {
    sub.get(2..).is_some_and(|flags| flags.iter().any(|flag| *flag != b'.'))
}

/// `<XY> <sub> <m1> <m2> <m3> <mW> <h1> <h2> <h3> <path>`: in conflict, where mW is the mode in the
/// work tree.
fn unmerged(record: &[u8]) -> Option<Difference> {
    let fields = fields(record, 10)?;
    let kind = match (*fields.get(5)?, fields.get(1)?.first()?) {
        (b"000000", _) => Kind::Missing,
        (_, b'S') => Kind::Submodule,
        _ => Kind::Present,
    };
    Some(Difference { path: path(fields.last()?), kind })
}

fn untracked(name: &[u8]) -> Difference {
    match name.strip_suffix(b"/") {
        Some(name) => Difference { path: path(name), kind: Kind::Embedded },
        None => Difference { path: path(name), kind: Kind::Present },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    #[test]
    fn each_kind_of_record() {
        let table = [
            (format!("1 .M N... 100644 100644 100644 {ID} {ID} a b"), Some(("a b", Kind::Present))),
            (format!("1 M. N... 100644 100644 100644 {ID} {ID} staged"), None),
            (
                format!("1 MD N... 100644 100644 000000 {ID} {ID} gone"),
                Some(("gone", Kind::Missing)),
            ),
            (
                format!("1 .A N... 000000 000000 100644 {ID} {ID} intent"),
                Some(("intent", Kind::Present)),
            ),
            (
                format!("1 .T N... 100644 100644 120000 {ID} {ID} link"),
                Some(("link", Kind::Present)),
            ),
            (
                format!("1 .M SC.. 160000 160000 160000 {ID} {ID} sub"),
                Some(("sub", Kind::Submodule)),
            ),
            (
                format!("1 .M SC.U 160000 160000 160000 {ID} {ID} sub"),
                Some(("sub", Kind::DirtySubmodule)),
            ),
            (
                format!("1 .M S.M. 160000 160000 160000 {ID} {ID} sub"),
                Some(("sub", Kind::DirtySubmodule)),
            ),
            (
                format!("2 RM N... 100644 100644 100644 {ID} {ID} R100 new\0old"),
                Some(("new", Kind::Present)),
            ),
            (
                format!("u UU N... 100644 100644 100644 100644 {ID} {ID} {ID} both"),
                Some(("both", Kind::Present)),
            ),
            (
                format!("u DU N... 100644 000000 100644 000000 {ID} {ID} {ID} none"),
                Some(("none", Kind::Missing)),
            ),
            ("? new file".to_owned(), Some(("new file", Kind::Present))),
            ("? nested/".to_owned(), Some(("nested", Kind::Embedded))),
        ];
        for (record, expected) in table {
            let status = parse(format!("{record}\0").as_bytes()).expect(&record);
            let found: Vec<_> =
                status.differences.iter().map(|it| (it.path.to_str().unwrap(), it.kind)).collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{record}");
        }
    }

    #[test]
    fn the_header_says_where_head_is() {
        let head = |text: &str| parse(text.as_bytes()).unwrap().head;
        let (commit, branch) = (Some(ID.to_owned()), Some("topic/x".to_owned()));
        let born = format!("# branch.oid {ID}\0# branch.head topic/x\0# branch.ab +1 -0\0");
        assert_eq!(head(&born), Head { commit: commit.clone(), branch: branch.clone() });
        let unborn = "# branch.oid (initial)\0# branch.head topic/x\0";
        assert_eq!(head(unborn), Head { commit: None, branch });
        let detached = format!("# branch.oid {ID}\0# branch.head (detached)\0");
        assert_eq!(head(&detached), Head { commit, branch: None });
    }

    #[test]
    fn undocumented_output_is_refused() {
        for wrong in
            ["x", "3 .M N...", "1 .M N... 100644", "u UU N...", "2 R. N... 1 1 1 1 1 R100 new"]
        {
            assert_eq!(parse(format!("{wrong}\0").as_bytes()), None, "{wrong}");
        }
    }
}
