//! Pages for readers, as a test sees them: the blocks of code and the text between backticks.

use std::fs;
use std::path::Path;

/// A page in Markdown.
pub(crate) struct Page {
    /// Its path, relative to the root of the repository.
    pub(crate) name: String,
    blocks: Vec<Block>,
    prose: String,
}

/// A fenced block of code.
pub(crate) struct Block {
    language: String,
    pub(crate) text: String,
}

impl Block {
    /// Its lines, without comments and empty lines; those that a backslash joins are one.
    pub(crate) fn lines(&self) -> Vec<String> {
        let joined = self.text.replace("\\\n", " ");
        joined.lines().map(str::trim).filter(|line| !words(line).is_empty()).map(strip).collect()
    }
}

/// The line without the comment at its end.
fn strip(line: &str) -> String {
    line.split(" # ").next().unwrap_or_default().trim().to_owned()
}

impl Page {
    pub(crate) fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (mut blocks, mut prose) = (Vec::<Block>::new(), String::new());
        let mut inside = false;
        for line in text.lines() {
            match line.trim_start().strip_prefix("```") {
                Some(_) if inside => inside = false,
                Some(language) => {
                    blocks.push(Block { language: language.to_owned(), text: String::new() });
                    inside = true;
                }
                None if inside => {
                    let block = blocks.last_mut().expect("a block is open");
                    block.text += line;
                    block.text.push('\n');
                }
                None => {
                    prose += line;
                    prose.push('\n');
                }
            }
        }
        assert!(!inside, "{name}: a block of code is not closed");
        Self { name: name.to_owned(), blocks, prose }
    }

    /// The README and the guide.
    pub(crate) fn with_commands() -> Vec<Self> {
        let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide");
        let entries = fs::read_dir(guide).expect("there is a guide").flatten();
        let names = entries.map(|entry| entry.file_name().into_string().expect("names are text"));
        let mut names: Vec<_> = names
            .filter(|name| Path::new(name).extension().is_some_and(|end| end == "md"))
            .collect();
        names.sort();
        let guide = names.iter().map(|name| Self::read(&format!("docs/guide/{name}")));
        [Self::read("README.md")].into_iter().chain(guide).collect()
    }

    pub(crate) fn blocks(&self, language: &str) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.language == language)
    }

    /// Every line for a shell: of shell blocks, workflow files and unit files, and between
    /// backticks.
    pub(crate) fn commands(&self) -> Vec<String> {
        let shell = self.blocks("sh").flat_map(Block::lines);
        let files = self.blocks("yaml").chain(self.blocks("ini")).flat_map(Block::lines);
        let files = files.map(|line| {
            let starts = ["- run: ", "run: ", "ExecStart="];
            let command = starts.iter().find_map(|start| line.strip_prefix(start));
            command.map_or(line.clone(), str::to_owned)
        });
        let inline = self.inline_code().into_iter().filter(|code| code.starts_with("surefire "));
        shell.chain(files).chain(inline.filter(|code| !code.contains('…'))).collect()
    }

    /// The text between single backticks.
    pub(crate) fn inline_code(&self) -> Vec<String> {
        self.prose.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " ")).collect()
    }
}

/// The words of a line, as a shell splits them. A comment has none.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, Some(open)) if c == open => quote = None,
            ('#', None) if word.is_none() => break,
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    assert_eq!(quote, None, "a quote is not closed: {line}");
    words.extend(word);
    words
}

/// The arguments of each call of `surefire` in a line.
pub(crate) fn calls_of_surefire(line: &str) -> Vec<Vec<String>> {
    let words = words(line);
    let commands = words.split(|word| matches!(word.as_str(), "|" | "||" | "&&" | ";" | "&"));
    let calls = commands.filter_map(|command| {
        let mut command = command.iter().skip_while(|word| is_before_a_command(word));
        let program = command.next()?;
        let rest = command.take_while(|word| !word.starts_with(['>', '<', '2']) || is_name(word));
        let is_surefire = Path::new(program).file_name().is_some_and(|name| name == "surefire");
        is_surefire.then(|| rest.cloned().collect())
    });
    calls.collect()
}

/// A placeholder such as `<run>`, or a word that begins with a digit and is not a redirection.
fn is_name(word: &str) -> bool {
    (word.starts_with('<') && word.ends_with('>') && word.len() > 2)
        || (word.starts_with('2') && !word.contains('>'))
}

fn is_before_a_command(word: &str) -> bool {
    let is_variable = word.split_once('=').is_some_and(|(name, _)| {
        name.chars().all(|c| c.is_ascii_uppercase() || c == '_') && !name.is_empty()
    });
    is_variable || matches!(word, "sudo" | "env" | "exec" | "if" | "!")
}

/// The long options that a text names.
pub(crate) fn options_in(text: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let pieces = text.split(move |c| !is_part(c));
    let options = pieces.filter(|piece| {
        piece
            .strip_prefix("--")
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    });
    options.map(str::to_owned)
}
