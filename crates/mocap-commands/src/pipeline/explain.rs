//! `mocap run --explain`: shows the plan of each input without running it.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::plan::{Plan, Plans};
use crate::batch::{Job, json};
use crate::output::Output;

/// A row of `mocap run --explain --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExplainRow<'a> {
    path: String,
    steps: Vec<ExplainStep<'a>>,
}

/// A step, with what its settings and overrides come to.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExplainStep<'a> {
    step: &'a str,
    r#do: &'static str,
    /// As they would be typed, without `--`.
    settings: &'a [String],
    output: Option<String>,
}

/// A variable of the pipeline.
#[derive(Serialize, JsonSchema)]
pub(crate) struct VariableRow<'a> {
    variable: &'a str,
    value: &'a str,
    /// `flag` or `default`.
    source: &'static str,
}

/// Prints the variables and the plan of every input.
pub(crate) fn explain(console: &mut dyn Output, jobs: &[Job], plans: &Plans, folder: &Path) {
    for (variable, value, set) in plans.variables() {
        let source = if set { "flag" } else { "default" };
        let row = VariableRow { variable, value, source };
        let text = format!("{variable} = {value:?} ({})", if set { "--set" } else { "default" });
        console.row(&json(&row), &text);
    }
    for job in jobs {
        let plan = plans.of(&job.input);
        let steps = steps(plan, &job.input.output_name(), folder);
        let row = ExplainRow { path: job.input.shown(), steps };
        console.row(&json(&row), &row.text());
    }
}

fn steps<'a>(plan: &'a Plan, relative: &Path, folder: &Path) -> Vec<ExplainStep<'a>> {
    let outputs: Vec<_> = plan.outputs(relative).collect();
    let read = ExplainStep { step: "read", r#do: "read", settings: &plan.read_settings, output: None };
    let others = plan.steps.iter().enumerate().map(|(at, step)| {
        let output = outputs.iter().find(|output| output.step == at);
        let output = output.map(|output| folder.join(&output.path).display().to_string());
        ExplainStep { step: &step.name, r#do: step.kind, settings: &step.settings, output }
    });
    std::iter::once(read).chain(others).collect()
}

impl ExplainRow<'_> {
    fn text(&self) -> String {
        let line = |step: &ExplainStep<'_>| {
            let name = match step.step == step.r#do {
                true => step.step.to_owned(),
                false => format!("{} ({})", step.step, step.r#do),
            };
            let output = step.output.as_ref().map(|path| format!("-> {path}"));
            let parts: Vec<&str> = step.settings.iter().chain(&output).map(String::as_str).collect();
            format!("\n  {name:<20} {}", parts.join(" ")).trim_end().to_owned()
        };
        self.path.clone()
            + &self
                .steps
                .iter()
                .map(|step| format!("\n{}", line(step).trim_start_matches('\n')))
                .collect::<String>()
    }
}
