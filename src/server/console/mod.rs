//! The web console: a page that is a client like any other.
//!
//! Its files are embedded in the binary and served unchanged; they use the same protocol and
//! endpoints as any other client. Start with `web/main.js`, then `web/state.js`.

use warp::Reply;
use warp::http::StatusCode;
use warp::http::header::CONTENT_TYPE;
use warp::reply::Response;

use super::http::problem::problem;

/// What a browser may do with the page: run its own scripts, use its own styles, and talk to this
/// server. No text can become markup or code, wherever a script would put it.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";
const HTML: &str = "text/html; charset=utf-8";

struct File {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

/// A file of the page.
macro_rules! file {
    ($name:literal, $kind:expr) => {
        File { name: $name, kind: $kind, text: include_str!(concat!("web/", $name)) }
    };
}

const FILES: &[File] = &[
    file!("api.js", SCRIPT),
    file!("attention.js", SCRIPT),
    file!("connection.js", SCRIPT),
    file!("diff.js", SCRIPT),
    file!("dom.js", SCRIPT),
    file!("followed.js", SCRIPT),
    file!("following.js", SCRIPT),
    file!("graph.js", SCRIPT),
    file!("icon-attention.svg", PICTURE),
    file!("icon.svg", PICTURE),
    file!("icons.js", SCRIPT),
    file!("main.js", SCRIPT),
    file!("markdown.js", SCRIPT),
    file!("pass.js", SCRIPT),
    file!("state.js", SCRIPT),
    file!("styles/graph.css", STYLE),
    file!("styles/page.css", STYLE),
    file!("styles/views.css", STYLE),
    file!("vendor/dagre.js", SCRIPT),
    file!("vendor/marked.js", SCRIPT),
    file!("views/card.js", SCRIPT),
    file!("views/changes.js", SCRIPT),
    file!("views/confirm.js", SCRIPT),
    file!("views/conversation.js", SCRIPT),
    file!("views/field.js", SCRIPT),
    file!("views/findings.js", SCRIPT),
    file!("views/found.js", SCRIPT),
    file!("views/gates.js", SCRIPT),
    file!("views/pair.js", SCRIPT),
    file!("views/part.js", SCRIPT),
    file!("views/proof.js", SCRIPT),
    file!("views/recipe.js", SCRIPT),
    file!("views/recipes.js", SCRIPT),
    file!("views/rows.js", SCRIPT),
    file!("views/run.js", SCRIPT),
    file!("views/runs.js", SCRIPT),
    file!("views/say.js", SCRIPT),
    file!("views/session.js", SCRIPT),
    file!("views/start.js", SCRIPT),
    file!("views/stop.js", SCRIPT),
    file!("views/terminal.js", SCRIPT),
    file!("views/timeline.js", SCRIPT),
    file!("views/trust.js", SCRIPT),
    file!("views/work.js", SCRIPT),
    file!("views/workplace.js", SCRIPT),
    file!("words.js", SCRIPT),
    file!("work.js", SCRIPT),
];

/// The page itself.
pub(super) fn page() -> Response {
    served(&file!("index.html", HTML))
}

/// One of its files.
pub(super) fn file(name: &str) -> Response {
    match FILES.iter().find(|file| file.name == name) {
        Some(file) => served(file),
        None => problem(StatusCode::NOT_FOUND, "there is nothing here"),
    }
}

fn served(file: &File) -> Response {
    warp::reply::with_header(file.text, CONTENT_TYPE, file.kind).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    /// What the whole page may weigh.
    const MAX_PAGE_BYTES: usize = 300 * 1000;

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server/console/web")
    }

    fn index() -> &'static str {
        file!("index.html", HTML).text
    }

    fn names() -> BTreeSet<String> {
        FILES.iter().map(|file| file.name.to_owned()).collect()
    }

    /// The names of all files below a folder, as they are served.
    fn below(folder: &Path, before: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{before}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                found.extend(below(&path, &format!("{name}/")));
            } else {
                found.insert(name);
            }
        }
        found
    }

    /// The modules that a script imports, as it names them.
    fn imports(script: &str) -> Vec<&str> {
        let begins = ["import ", "export ", "} from "];
        let lines =
            script.lines().filter(|line| begins.iter().any(|begin| line.starts_with(begin)));
        let named = lines.filter_map(|line| {
            let (before, rest) = line.split_once('"')?;
            let is_one = before.trim_end().ends_with("from") || before.trim() == "import";
            rest.split('"').next().filter(|_| is_one)
        });
        let later = script.split("import(\"").skip(1).filter_map(|rest| rest.split('"').next());
        named.chain(later).collect()
    }

    /// The served name of a module that is imported by a script.
    fn resolved(script: &str, module: &str) -> Option<String> {
        let mut parts: Vec<_> = script.split('/').collect();
        parts.pop();
        if !module.starts_with("./") && !module.starts_with("../") {
            return None;
        }
        for part in module.split('/') {
            match part {
                "." => {}
                ".." => parts.pop().map(|_| ())?,
                name => parts.push(name),
            }
        }
        Some(parts.join("/"))
    }

    #[test]
    fn every_file_is_served_once() {
        let mut there = below(&folder(), "");
        there.retain(|name| !name.ends_with(".LICENSE"));
        assert!(there.remove("index.html"));
        assert_eq!(there, names());
        assert_eq!(names().len(), FILES.len(), "two files have one name");
    }

    #[test]
    fn every_file_has_its_kind() {
        for file in FILES {
            let kind = match file.name.rsplit('.').next() {
                Some("js") => SCRIPT,
                Some("css") => STYLE,
                Some("svg") => PICTURE,
                _ => panic!("{} has an unknown type", file.name),
            };
            assert_eq!(file.kind, kind, "{}", file.name);
        }
    }

    #[test]
    fn the_page_is_light() {
        let weight = FILES.iter().map(|file| file.text.len()).sum::<usize>() + index().len();
        assert!(weight < MAX_PAGE_BYTES, "{weight} bytes of {MAX_PAGE_BYTES}");
    }

    #[test]
    fn the_page_contains_nothing_that_its_policy_forbids() {
        let page = index().to_ascii_lowercase();
        for script in page.split("<script").skip(1) {
            let (tag, after) = script.split_once('>').unwrap();
            assert!(
                tag.contains(" src=\"/console/") && after.starts_with("</script>"),
                "<script{script}"
            );
        }
        assert!(page.contains("<script"));
        assert!(!page.contains("<style") && !page.contains("javascript:"));
        for tag in page.split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
            let attributes = tag.split_whitespace().skip(1).filter_map(|part| part.split_once('='));
            for (name, _) in attributes {
                assert!(!name.starts_with("on") && name != "style", "<{tag}>");
            }
        }
    }

    #[test]
    fn every_file_that_the_page_and_its_scripts_load_is_served() {
        let asked = index().split("\"/console/").skip(1).filter_map(|rest| rest.split('"').next());
        for name in asked {
            assert!(names().contains(name), "the page asks for {name}");
        }
        let mut imported = BTreeSet::new();
        for script in FILES.iter().filter(|file| file.kind == SCRIPT) {
            for module in imports(script.text) {
                let name = resolved(script.name, module);
                let found = name.filter(|name| names().contains(name));
                imported
                    .insert(found.unwrap_or_else(|| panic!("{} imports {module}", script.name)));
            }
        }
        let scripts = FILES.iter().filter(|file| file.kind == SCRIPT && file.name != "main.js");
        let scripts: BTreeSet<_> = scripts.map(|file| file.name.to_owned()).collect();
        assert_eq!(imported, scripts, "every script but the first is imported by another");
    }

    #[test]
    fn vendored_files_have_their_licence_beside_them() {
        let there = below(&folder(), "");
        let mut vendored = FILES.iter().filter(|file| file.name.starts_with("vendor/")).peekable();
        assert!(vendored.peek().is_some());
        for file in vendored {
            let (stem, _) = file.name.rsplit_once('.').unwrap();
            let licence = std::fs::read_to_string(folder().join(format!("{stem}.LICENSE")));
            let licence = licence.unwrap_or_else(|error| panic!("{stem}.LICENSE: {error}"));
            assert!(licence.contains("Copyright"), "{stem}.LICENSE");
        }
        for licence in there.iter().filter_map(|name| name.strip_suffix(".LICENSE")) {
            assert!(
                there.contains(&format!("{licence}.js")),
                "{licence}.LICENSE belongs to no file"
            );
        }
    }
}
