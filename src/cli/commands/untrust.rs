//! `surefire untrust`: withdraws the trust in a repository.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::render::format::one_line;
use crate::cli::settings::data;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::options::DataOption;
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::engine::TrustRecords;

const EXAMPLES: &str = "\
Examples:
  surefire untrust             this repository
  surefire untrust /gone/shop  one that is gone, by the path that `surefire trust --list` shows";

/// What stands before every reason for not doing it.
const WHAT: &str = "the trust cannot be withdrawn";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Untrust {
    /// The repository, by its directory or one below; the path as recorded where it is gone [default: .]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(flatten)]
    data: DataOption,
}

impl Untrust {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
        let records = TrustRecords::new(data::directory(self.data.data.as_deref())?);
        let asked = self.dir.unwrap_or_else(|| PathBuf::from("."));
        let as_written = std::path::absolute(&asked);
        let as_written = as_written.map_err(|error| Complaint::usage(WHAT, error.to_string(), ""))?;
        wait(async {
            let top = records.subject(&asked).await.ok().map(|subject| subject.top);
            // A record may be of a directory that is not the top of a work tree any more.
            let candidates = [asked.canonicalize().ok(), Some(as_written.clone()), top];
            for top in candidates.into_iter().flatten() {
                let was_trusted = records.untrust(&top).map_err(|error| Complaint::about(WHAT, &error))?;
                if was_trusted {
                    let words = format!("`{}` is not trusted any more.", top.display());
                    context.console.say(one_line(&words));
                    return Ok(ExitCode::SUCCESS);
                }
            }
            let why = format!("there is no record of trust in `{}`", as_written.display());
            let fix = format!("`{} trust --list` lists those that there are", program_name());
            Err(Complaint::new("nothing was changed", why, fix))
        })
    }
}
