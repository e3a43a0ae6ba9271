//! The commands of the README and the guide work: the README's are run, in the order in which a
//! reader types them; the guide's are parsed.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use surefire_testkit::{git, make_work_tree};

use crate::command::{CommandOutput, Place};
use crate::pages::{self, Block, Page};
use crate::process::{Running, begin};

/// The task in the README's last two commands.
const TASK: &str = "fix the rounding in cart.rs";

/// A reader of the README, with a checkout of this project and another project that has uncommitted
/// changes. Claude Code is a fake.
struct Reader {
    place: Place,
    directory: PathBuf,
    server: Option<Running>,
}

impl Reader {
    fn new() -> Self {
        let place = Place::new();
        let home = place.home();
        for directory in ["bin", "surefire", "projects/shop"] {
            fs::create_dir_all(home.join(directory)).expect("there is room");
        }
        symlink(fake_claude::program(), home.join("bin/claude")).expect("there is room");
        fs::write(place.path().join("plan.json"), "{}").expect("there is room");
        make_work_tree(&home.join("surefire"), &[]);
        make_work_tree(&home.join("projects/shop"), &[]);
        fs::write(home.join("projects/shop/cart.rs"), "// half a cart\n").expect("there is room");
        Self { directory: home.join("surefire"), place, server: None }
    }

    /// Types one line of the README.
    fn types(&mut self, line: &str) {
        let words = pages::words(line);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let built = Path::new(env!("CARGO_BIN_EXE_surefire"));
        let installed = self.place.home().join("bin/surefire");
        match words[..] {
            ["cargo", "run", "--release"] => self.serves(),
            ["cargo", "run", "--release", "--", ref options @ ..] => {
                self.runs(line, built, options);
            }
            ["scripts/test"] => {
                let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/test");
                let mode = fs::metadata(script).expect("it is there").permissions().mode();
                assert_ne!(mode & 0o111, 0, "it can be executed");
            }
            ["cargo", "install", "--path", "."] => {
                symlink(built, installed).expect("it is installed once");
            }
            ["cd", directory] => {
                let home = self.place.home();
                let directory = directory.strip_prefix("~/").expect("it is below the home");
                self.directory = home.join(directory);
                assert!(self.directory.is_dir(), "{line}");
            }
            ["surefire", ref options @ ..] => {
                assert!(installed.exists(), "`{line}` comes before the command is installed");
                self.runs(line, &installed, options);
            }
            _ => panic!("this test cannot run `{line}`: add a case for it, or remove the line"),
        }
    }

    /// Starts the server of the first command, which runs until the last command has ended.
    fn serves(&mut self) {
        let mut server = begin(&mut self.command(Path::new(env!("CARGO_BIN_EXE_surefire")), &[]));
        server.until_line("Surefire is listening on");
        assert!(self.server.replace(server).is_none(), "one server at a time");
    }

    fn runs(&self, line: &str, program: &Path, options: &[&str]) {
        assert!(self.server.is_some(), "the first command's server is still running");
        let output = CommandOutput::of(&mut self.command(program, options), &self.place);
        assert_eq!(output.status, 0, "`{line}`:\n{}{}", output.stdout, output.stderr);
    }

    fn command(&self, program: &Path, options: &[&str]) -> std::process::Command {
        let mut command = self.place.program(program, options);
        let mut path = OsString::from(self.place.home().join("bin"));
        path.push(":");
        path.push(std::env::var_os("PATH").expect("git is on it"));
        command
            .current_dir(&self.directory)
            .env("PATH", path)
            .env("SUREFIRE_LISTEN", "127.0.0.1:0")
            .env("SUREFIRE_PACE_MS", "0")
            .env(fake_claude::PLAN_VARIABLE, self.place.path().join("plan.json"));
        command
    }
}

#[test]
fn every_command_of_the_readme_works_in_its_order() {
    let mut reader = Reader::new();
    let readme = Page::read("README.md");
    let lines: Vec<_> = readme.blocks("sh").flat_map(Block::lines).collect();
    assert!(lines.len() >= 6, "the README has lost its commands: {lines:?}");
    for line in &lines {
        reader.types(line);
    }

    let shop = reader.place.home().join("projects/shop");
    assert_eq!(git(&shop, &["status", "--short"]), "", "the uncommitted work is committed");
    let commits = git(&shop, &["log", "--format=%s"]).lines().count();
    let calls = fs::read_to_string(reader.place.path().join("calls.jsonl")).expect("it was called");
    assert!(calls.contains(TASK), "the agent reads the task");
    assert_eq!(commits, 3, "each run commits");

    let server = reader.server.take().expect("it was started first");
    server.signal(Signal::INT);
    assert_eq!(server.ended().status, 0, "it served to the end");
}

/// Options of other programs that the pages name.
const OPTIONS_OF_OTHERS: [&str; 10] = [
    "--release",
    "--path",
    "--example",
    "--open",
    "--user",
    "--bg",
    "--now",
    "--resume",
    "--follow",
    "--unit",
];

#[test]
fn every_command_and_option_of_the_guide_exists() {
    let place = Place::new();
    let help = all_help(&place);
    let mut parsed = 0;
    for page in Page::with_commands() {
        for line in page.commands() {
            for options in pages::calls_of_surefire(&line) {
                parses(&place, &page, &line, &options);
                parsed += 1;
            }
        }
        for code in page.inline_code() {
            let unknown = pages::options_in(&code)
                .find(|option| !help.contains(option) && !OPTIONS_OF_OTHERS.contains(&&**option));
            assert_eq!(unknown, None, "{}: `{code}`", page.name);
        }
    }
    assert!(parsed > 40, "the guide has lost its commands: {parsed}");
}

/// A line parses if the command prints its help with these options: an invalid option is an error
/// before that.
fn parses(place: &Place, page: &Page, line: &str, options: &[String]) {
    let mut words: Vec<_> = options.iter().map(String::as_str).collect();
    // `surefire help run` has help of its own.
    if words.first() != Some(&"help") {
        words.push("--help");
    }
    let output = place.run(&words);
    let name = &page.name;
    assert_eq!(output.status, 0, "{name}: `{line}`\n{}", output.stderr);
    let recipe = match words[..] {
        ["run" | "show", recipe, ..] if !recipe.starts_with('-') => recipe,
        _ => return,
    };
    let known = surefire::recipes::BUNDLED.get(recipe);
    let is_placeholder = recipe.starts_with('<');
    assert!(known.is_some() || is_placeholder, "{name}: `{line}` names no bundled recipe");
}

/// The names of all options of all commands.
fn all_help(place: &Place) -> Vec<String> {
    let top = place.run(&["--help"]).ok();
    let commands = top.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty());
    let names = commands.filter_map(|line| line.split_whitespace().next());
    let mut options: Vec<String> = pages::options_in(&top).collect();
    for name in names.filter(|name| name.chars().all(|c| c.is_ascii_lowercase()) && *name != "help")
    {
        let output = place.run(&[name, "--help"]);
        options.extend(pages::options_in(&output.stdout));
    }
    assert!(options.iter().any(|option| option == "--allow-visits"), "all commands are asked");
    options
}

#[test]
fn every_setting_of_the_guide_exists() {
    let place = Place::new();
    make_work_tree(&place.project(), &[]);
    let (mut configurations, mut projects) = (0, 0);
    for page in Page::with_commands() {
        for block in page.blocks("toml") {
            let file = place.path().join("config.toml");
            if block.text.starts_with("# config.toml") {
                fs::write(&file, &block.text).expect("there is room");
                let config = file.to_str().expect("it is text");
                let output = place.run(&["doctor", "--json", "--config", config]);
                let report: serde_json::Value = serde_json::from_str(&output.stdout)
                    .unwrap_or_else(|_| panic!("{}", output.stderr));
                let configuration = &report["checks"][0];
                assert_eq!(configuration["status"], "ok", "{}: {configuration}", page.name);
                configurations += 1;
            } else if block.text.contains("# surefire.toml") {
                fs::write(place.project().join("surefire.toml"), &block.text).expect("room");
                surefire_testkit::commit(&place.project(), "Settings");
                let mut trust = place.surefire(&["trust"]);
                trust.env("PATH", std::env::var_os("PATH").expect("git is on it"));
                let output = CommandOutput::of(&mut trust, &place);
                assert_eq!(output.status, 0, "{}: {}", page.name, output.stderr);
                projects += 1;
            }
        }
    }
    assert!(configurations > 1 && projects > 0, "the guide has lost its settings");
}
