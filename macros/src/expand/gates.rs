//! What the engine allows, runs and looks for, as static data.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::LitStr;
use syn::spanned::Spanned;

use super::Expansion;
use super::at::option;
use crate::model::{Files, Run, Step};
use crate::place::quote;
use crate::resolve::{Evidence, Tool};
use crate::syntax::{Command, Group};

impl Expansion<'_> {
    /// The tools of a step, as an `Option`. They are emitted where the author wrote them, because a
    /// list may name constants.
    pub(super) fn tools(&self, step: &Step) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        let Some(tools) = &step.tools else { return quote!(::core::option::Option::None) };
        if !tools.iter().any(is_group) {
            let tools = tools.iter().map(|tool| self.tool(tool));
            return quote!(::core::option::Option::Some(&[#(#tools,)*]));
        }
        let parts = tools.chunk_by(|a, b| !is_group(a) && !is_group(b)).map(|part| match part {
            [Tool::Group(Group { path, .. })] => quote!(#path),
            words => {
                let words = words.iter().map(|tool| self.tool(tool));
                quote!(&[#(#words,)*])
            }
        });
        // The names are long, so that they don't collide with the author's constants.
        quote! {{
            const __SUREFIRE_PARTS: &[&[#krate::Tool]] = &[#(#parts,)*];
            const __SUREFIRE_COUNT: ::core::primitive::usize = #private::count_tools(__SUREFIRE_PARTS);
            const __SUREFIRE_TOOLS: &[#krate::Tool] =
                &#private::join_tools::<__SUREFIRE_COUNT>(__SUREFIRE_PARTS);
            ::core::option::Option::Some(__SUREFIRE_TOOLS)
        }}
    }

    /// Assertions about the constants that steps take tools from, which only the compiler can
    /// evaluate, once for each list. Those of shared steps are checked where the steps are defined.
    pub(super) fn tool_assertions(&self) -> TokenStream {
        let (private, module) = (&self.private, self.parts());
        let mut seen = HashSet::new();
        let steps = self.shape.steps.iter().enumerate();
        let assertions = steps.filter_map(|(index, step)| {
            let tools = step.tools.as_ref()?;
            let groups: Vec<_> =
                tools.iter().filter_map(group).filter(|group| !group.shared).collect();
            let first = groups.first()?;
            let paths = groups.iter().map(|group| &group.path);
            let is_new = seen.insert(quote!(#(#paths),*).to_string());
            let tools = quote!(<#module::Step as #private::Scope>::TOOLS[#index]);
            is_new.then(|| no_flaw(first, &quote!(#private::step_tools_flaw(#tools))))
        });
        assertions.collect()
    }

    /// One tool that is not a constant's.
    fn tool(&self, tool: &Tool) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        match tool {
            Tool::Read => quote!(#krate::Tool::Read),
            Tool::Edit => quote!(#krate::Tool::Edit),
            Tool::Web => quote!(#krate::Tool::Web),
            Tool::Command(pattern) => {
                quote!(#krate::Tool::Command(#private::Cow::Borrowed(#pattern)))
            }
            Tool::Group(_) => TokenStream::new(),
        }
    }

    /// The command that a step is, as an `Option`.
    pub(super) fn command_step(&self, step: &Step) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        option(step.run.as_ref().map(|Run { command, time }| {
            let command = self.command(command);
            let time = option(time.map(|seconds| quote!(#private::Duration::from_secs(#seconds))));
            quote!(#krate::CommandStep::generated(&#command, #time))
        }))
    }

    pub(super) fn command(&self, command: &Command) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        match command {
            Command::Shell(line) => {
                quote!(#krate::CommandLine::Shell(#private::Cow::Borrowed(#line)))
            }
            Command::Program { words, .. } => quote! {
                #krate::CommandLine::Program(#private::Cow::Borrowed(&[#(#private::Cow::Borrowed(#words),)*]))
            },
        }
    }

    /// Which files the runs of a recipe may change.
    pub(super) fn file_scope(&self) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        let Files { allow, deny, .. } = &self.shape.files;
        if allow.is_empty() && deny.is_empty() {
            return quote!(#krate::FileScope::EVERYTHING);
        }
        let list = |patterns: &[LitStr]| quote!(&[#(#private::Cow::Borrowed(#patterns),)*]);
        let (allow, deny) = (list(allow), list(deny));
        quote!(#krate::FileScope::generated(#allow, #deny))
    }

    pub(super) fn evidence(&self, evidence: &Evidence) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        match evidence {
            Evidence::Commit => quote!(#krate::Evidence::Commit),
            Evidence::NoCommit => quote!(#krate::Evidence::NoCommit),
            Evidence::Clean => quote!(#krate::Evidence::Clean),
            Evidence::CleanTree => quote!(#krate::Evidence::CleanTree),
            Evidence::Changed => quote!(#krate::Evidence::Changed),
            Evidence::RebasedOnMain => quote!(#krate::Evidence::RebasedOnMain),
            Evidence::Exists(path) => {
                quote!(#krate::Evidence::Exists(#private::Cow::Borrowed(#path)))
            }
            Evidence::Command(command) => {
                let command = self.command(command);
                quote!(#krate::Evidence::Command(#command))
            }
        }
    }
}

/// An assertion that only the compiler can check: a list has tools, and its patterns can match.
pub(super) fn no_flaw(at: &Group, flaw: &TokenStream) -> TokenStream {
    quote_spanned! {at.path.span()=>
        const _: () = if let ::core::option::Option::Some(__surefire_flaw) = #flaw {
            ::core::panic!("{}", __surefire_flaw)
        };
    }
}

fn is_group(tool: &Tool) -> bool {
    group(tool).is_some()
}

fn group(tool: &Tool) -> Option<&Group> {
    match tool {
        Tool::Group(group) => Some(group),
        Tool::Read | Tool::Edit | Tool::Web | Tool::Command(_) => None,
    }
}
