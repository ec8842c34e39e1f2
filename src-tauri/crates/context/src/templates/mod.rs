//! Templates and expressions: one language, minijinja's, everywhere in an agent.
//!
//! Bounded: fuel for every evaluation, recursion, and 1 MiB of output. No file is ever read: `include`, `import` and
//! `extends` are refused. What is undefined stays undefined through further dots, prints as nothing and is null as a
//! value, so that an expression may look at the output of a stage that was skipped.

mod error;
mod filters;
mod scan;
mod scope;

use std::collections::BTreeSet;
use std::io;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Map, Value};

pub use error::TemplateError;
pub use scope::Scope;

/// Instructions that one evaluation may execute.
const FUEL: u64 = 200_000;
/// How deeply loops, conditions and macros may nest.
const RECURSION: usize = 100;
/// The longest text of a template or expression, in bytes.
const MAX_SOURCE_BYTES: usize = 256 * 1024;
/// The longest rendered text, in bytes.
const MAX_OUTPUT_BYTES: usize = 1024 * 1024;
/// How deeply [`Templates::fill`] follows nested lists and objects.
const MAX_DEPTH: usize = 64;

/// Evaluates expressions and renders templates.
#[derive(Debug)]
pub struct Templates {
    environment: Environment<'static>,
}

impl Default for Templates {
    fn default() -> Self {
        Self::new()
    }
}

impl Templates {
    /// With the filters that agents use: `pluck`, `where`, `compact`, `flatten`, `uniq`, `tojson`, `truncate_words`,
    /// `cites` and `known_urls`, beside minijinja's own.
    pub fn new() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Chainable);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_fuel(Some(FUEL));
        environment.set_recursion_limit(RECURSION);
        environment.set_debug(false);
        environment.remove_global("debug");
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
        if let Ok(syntax) = syntax.build() {
            environment.set_syntax(syntax);
        }
        filters::register(&mut environment);
        Self { environment }
    }

    /// The value of an expression, with its type: integers stay integers, what is undefined is null.
    pub fn eval(&self, expr: &str, scope: &Scope) -> Result<Value, TemplateError> {
        self.native(expr, expr, scope)
    }

    /// Whether an expression's value counts as true: not null, false, zero or empty.
    pub fn truthy(&self, expr: &str, scope: &Scope) -> Result<bool, TemplateError> {
        Ok(self.value(expr, expr, scope)?.is_true())
    }

    /// A template's text.
    pub fn render(&self, template: &str, scope: &Scope) -> Result<String, TemplateError> {
        check_length(template)?;
        if !scan::has_tags(template) {
            return Ok(template.to_owned());
        }
        let compiled = self
            .environment
            .template_from_str(template)
            .map_err(|error| TemplateError::new(template, &error))?;
        let mut out = LimitedOutput(Vec::new());
        compiled.render_captured_to(scope.context(), &mut out).map_err(|error| match error.kind() {
            minijinja::ErrorKind::WriteFailure => {
                TemplateError::plain(template, format!("the text grows over {MAX_OUTPUT_BYTES} bytes"))
            }
            _ => TemplateError::new(template, &error),
        })?;
        String::from_utf8(out.0).map_err(|error| TemplateError::plain(template, error.to_string()))
    }

    /// Fills every string in a value. A string that is one whole `{{ expression }}` becomes that expression's value,
    /// with its type; keys stay as they are.
    pub fn fill(&self, value: &Value, scope: &Scope) -> Result<Value, TemplateError> {
        self.fill_at(value, scope, 0)
    }

    fn fill_at(&self, value: &Value, scope: &Scope, depth: usize) -> Result<Value, TemplateError> {
        if depth > MAX_DEPTH {
            return Err(TemplateError::plain("", format!("lists and objects nest deeper than {MAX_DEPTH}")));
        }
        Ok(match value {
            Value::String(text) => match scan::whole_expression(text) {
                Some(expr) => self.native(expr, text, scope)?,
                None => Value::String(self.render(text, scope)?),
            },
            Value::Array(items) => {
                let filled: Result<Vec<Value>, _> =
                    items.iter().map(|item| self.fill_at(item, scope, depth + 1)).collect();
                Value::Array(filled?)
            }
            Value::Object(map) => {
                let mut filled = Map::new();
                for (key, item) in map {
                    filled.insert(key.clone(), self.fill_at(item, scope, depth + 1)?);
                }
                Value::Object(filled)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        })
    }

    /// Whether a text is an expression that could be evaluated: syntax, and that its filters and tests exist.
    pub fn check_expr(&self, expr: &str) -> Result<(), TemplateError> {
        check_length(expr)?;
        self.environment.compile_expression(expr).map_err(|error| TemplateError::new(expr, &error))?;
        self.check_names(expr, &[scan::Code { text: expr, line: 1, block: false }])
    }

    /// Whether a text is a template that could be rendered: syntax, that its filters and tests exist, and that it
    /// includes nothing.
    pub fn check_template(&self, template: &str) -> Result<(), TemplateError> {
        check_length(template)?;
        self.environment.template_from_str(template).map_err(|error| TemplateError::new(template, &error))?;
        self.check_names(template, &scan::code(template))
    }

    fn check_names(&self, source: &str, code: &[scan::Code<'_>]) -> Result<(), TemplateError> {
        let state = self.environment.empty_state();
        for part in code {
            if let Some(word) = part.block.then(|| scan::first_word(part.text)).flatten()
                && ["include", "import", "from", "extends"].contains(&word)
            {
                return Err(TemplateError::at(
                    source,
                    part.line,
                    format!("`{word}` is not available: templates read no files"),
                ));
            }
            for (kind, name) in scan::names(part.text) {
                let known = match kind {
                    scan::Kind::Filter => self.environment.compile_expression("name is filter"),
                    scan::Kind::Test => self.environment.compile_expression("name is test"),
                }
                .and_then(|check| check.eval(minijinja::context! { name }))
                .is_ok_and(|known| known.is_true());
                if !known {
                    return Err(TemplateError::at(
                        source,
                        part.line,
                        format!("there is no {kind} named `{name}`"),
                    ));
                }
            }
        }
        drop(state);
        Ok(())
    }

    /// The paths an expression or a template reads, sorted: `outputs.plan.queries` is `["outputs", "plan", "queries"]`.
    /// A text with `{{` or `{%` is read as a template, else as an expression. Names bound by the text itself (loops,
    /// `set`, macros) and functions are left out; a text with a syntax error reads nothing.
    pub fn paths(&self, text: &str) -> Vec<Vec<String>> {
        if scan::has_tags(text) { self.template_paths(text) } else { self.expr_paths(text) }
    }

    /// The paths an expression reads, as [`Templates::paths`].
    pub fn expr_paths(&self, expr: &str) -> Vec<Vec<String>> {
        match self.environment.compile_expression(expr) {
            Ok(compiled) => self.split_paths(compiled.undeclared_variables(true)),
            Err(_) => Vec::new(),
        }
    }

    /// The paths a template reads, as [`Templates::paths`].
    pub fn template_paths(&self, template: &str) -> Vec<Vec<String>> {
        match self.environment.template_from_str(template) {
            Ok(compiled) => self.split_paths(compiled.undeclared_variables(true)),
            Err(_) => Vec::new(),
        }
    }

    fn split_paths(&self, paths: impl IntoIterator<Item = String>) -> Vec<Vec<String>> {
        let functions: BTreeSet<&str> = self.environment.globals().map(|(name, _)| name).collect();
        let paths: BTreeSet<Vec<String>> =
            paths.into_iter().map(|path| path.split('.').map(str::to_owned).collect()).collect();
        paths
            .into_iter()
            .filter(|path: &Vec<String>| !path.first().is_some_and(|root| functions.contains(root.as_str())))
            .collect()
    }

    /// An expression's value as JSON; `source` is what error messages quote.
    fn native(&self, expr: &str, source: &str, scope: &Scope) -> Result<Value, TemplateError> {
        let value = self.value(expr, source, scope)?;
        serde_json::to_value(&value)
            .map_err(|error| TemplateError::plain(source, format!("its value is not JSON: {error}")))
    }

    fn value(&self, expr: &str, source: &str, scope: &Scope) -> Result<minijinja::Value, TemplateError> {
        check_length(expr)?;
        self.environment
            .compile_expression(expr)
            .and_then(|compiled| compiled.eval(scope.context()))
            .map_err(|error| TemplateError::new(source, &error))
    }
}

fn check_length(source: &str) -> Result<(), TemplateError> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(TemplateError::plain(source, format!("it is longer than {MAX_SOURCE_BYTES} bytes")));
    }
    Ok(())
}

/// Refuses to grow over [`MAX_OUTPUT_BYTES`].
struct LimitedOutput(Vec<u8>);

impl io::Write for LimitedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT_BYTES {
            return Err(io::Error::other("output cap"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
