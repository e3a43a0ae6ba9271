//! `surefire man`: man pages.

use std::fs;
use std::process::{Command, Stdio};

use crate::command::Place;

#[test]
fn every_command_has_a_page_that_names_its_options() {
    let place = Place::new();
    let pages = place.path().join("share/man1");
    place.run(&["man", pages.to_str().unwrap()]).ok();
    let mut names: Vec<String> = fs::read_dir(&pages)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    assert!(names.len() > 15 && names.contains(&"surefire-run.1".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("help")), "{names:?}");
    for name in names {
        let page = fs::read_to_string(pages.join(&name)).unwrap().replace("\\-", "-");
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{name}");
        let command = name.trim_end_matches(".1").trim_start_matches("surefire");
        let words: Vec<&str> = command.split('-').filter(|word| !word.is_empty()).collect();
        let help = place.run(&[&words[..], &["--help"]].concat()).ok();
        let options = help.lines().filter_map(|line| {
            let line = line.strip_prefix("      ").or(line.strip_prefix("  -v, "))?;
            line.strip_prefix("--")?.split([' ', '[', '.']).next()
        });
        let mut count = 0;
        for option in options {
            assert!(page.contains(&format!("--{option}")), "{name} names `--{option}`");
            count += 1;
        }
        assert!(count >= 3, "{name}: {help}");
    }
}

#[test]
fn without_a_directory_the_page_of_the_program_is_printed() {
    let place = Place::new();
    let page = place.run(&["man"]).ok();
    assert!(page.contains(".TH surefire 1"), "{page}");
    assert!(page.contains("surefire\\-run(1)"), "{page}");
    let file = place.path().join("surefire.1");
    fs::write(&file, &page).unwrap();
    if !has_man_db() {
        eprintln!("skipped rendering the page: this machine has no `man` of man-db");
        return;
    }
    let rendered = Command::new("man")
        .args(["--encoding=ascii", "-l"])
        .arg(&file)
        .env("MANPAGER", "cat")
        .env("MANWIDTH", "100")
        .stdin(Stdio::null())
        .output()
        .expect("`man` starts");
    let (text, errors) =
        (String::from_utf8_lossy(&rendered.stdout), String::from_utf8_lossy(&rendered.stderr));
    assert!(rendered.status.success(), "{errors}");
    for expected in ["NAME", "surefire - Run recipes", "SYNOPSIS", "--listen"] {
        assert!(text.contains(expected), "no `{expected}` in: {text}{errors}");
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    let place = Place::new();
    fs::write(place.path().join("file"), "").unwrap();
    let file = place.path().join("file");
    let output = place.run(&["man", file.to_str().unwrap()]).failure(1);
    assert!(output.contains("fix: choose a writable directory"), "{output}");
}

/// Whether `man` is there and can render a file. Other implementations have no `-l`.
fn has_man_db() -> bool {
    let version = Command::new("man").arg("--version").stdin(Stdio::null()).output();
    version.is_ok_and(|it| it.status.success() && it.stdout.starts_with(b"man "))
}
