//! Names of models as they stand in settings and on command lines.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

/// The most folders that are looked at for models.
const MAX_FOLDERS: usize = 1_000;
const NAME_BYTES: usize = 200;
const ADDRESS_BYTES: usize = 2_048;

/// A service that turns texts into vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Service {
    /// Ollama, on this machine unless an address is given.
    Ollama,
    /// OpenAI, or what speaks its protocol at the given address.
    OpenAi,
    /// Voyage AI.
    Voyage,
    /// Google's Gemini API.
    Gemini,
}

impl Service {
    const ALL: [Self; 4] = [Self::Ollama, Self::OpenAi, Self::Voyage, Self::Gemini];

    /// How references begin, without the colon.
    pub fn scheme(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::Voyage => "voyage",
            Self::Gemini => "gemini",
        }
    }
}

/// Where a model is: parsed from text, and written as the same text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ModelRef {
    /// A model folder: `/folder`, `./folder`.
    Folder(PathBuf),
    /// An installed model: `local:<name>`, in the folder `models/<name>` of the person's home.
    Local(String),
    /// A model of a service: `openai:<model>`, `ollama:<model>@<address>`.
    Remote {
        /// The service, or whose protocol is spoken.
        service: Service,
        /// The model's name there.
        model: String,
        /// Where the service is, when not at its usual address: `http://` or `https://`.
        address: Option<String>,
    },
}

/// Why a text names no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ModelRefError {
    /// Neither a folder nor a known kind.
    #[error(
        "not a model: write a folder with a slash (./models/x), local:<name>, ollama:<model>, openai:<model>, \
         voyage:<model> or gemini:<model>"
    )]
    Kind,
    /// The name can't be one.
    #[error(
        "the model's name must have 1 to {NAME_BYTES} bytes, without spaces; an installed one's also without slashes and no dot first"
    )]
    Name,
    /// The address after `@` can't be one.
    #[error(
        "the address after @ must begin with https:// or http:// and hold neither spaces nor a user's name"
    )]
    Address,
}

impl FromStr for ModelRef {
    type Err = ModelRefError;

    fn from_str(text: &str) -> Result<Self, ModelRefError> {
        if let Some(name) = text.strip_prefix("local:") {
            let fits = is_name(name) && !name.starts_with('.') && !name.contains(['/', '\\', ':']);
            return if fits { Ok(Self::Local(name.into())) } else { Err(ModelRefError::Name) };
        }
        for service in Service::ALL {
            let Some(rest) = text.strip_prefix(service.scheme()).and_then(|rest| rest.strip_prefix(':'))
            else {
                continue;
            };
            let (model, address) = match rest.split_once('@') {
                Some((model, address)) => (model, Some(address)),
                None => (rest, None),
            };
            if !is_name(model) {
                return Err(ModelRefError::Name);
            }
            if !address.is_none_or(is_address) {
                return Err(ModelRefError::Address);
            }
            return Ok(Self::Remote { service, model: model.into(), address: address.map(Into::into) });
        }
        let folder = !text.contains('\0') && (text.contains('/') || Path::new(text).is_absolute());
        if folder { Ok(Self::Folder(text.into())) } else { Err(ModelRefError::Kind) }
    }
}

fn is_name(text: &str) -> bool {
    (1..=NAME_BYTES).contains(&text.len()) && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

fn is_address(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| !host.is_empty())
        && text.len() <= ADDRESS_BYTES
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '@')
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Local(name) => write!(f, "local:{name}"),
            Self::Remote { service, model, address: None } => write!(f, "{}:{model}", service.scheme()),
            Self::Remote { service, model, address: Some(address) } => {
                write!(f, "{}:{model}@{address}", service.scheme())
            }
        }
    }
}

/// Where an installed model is, or would be.
pub fn local_folder(home: &Path, name: &str) -> PathBuf {
    home.join("models").join(name)
}

/// The installed models, by name: folders that hold settings and weights. Whether they can be used shows opening them.
pub fn local_models(home: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(home.join("models")) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .take(MAX_FOLDERS)
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let whole =
                ["config.json", "model.safetensors"].iter().all(|file| entry.path().join(file).is_file());
            (whole && format!("local:{name}").parse::<ModelRef>().is_ok()).then_some(name)
        })
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    #[test]
    fn references_are_read_and_written_alike() {
        let remote = |service, model: &str, address: Option<&str>| ModelRef::Remote {
            service,
            model: model.into(),
            address: address.map(Into::into),
        };
        for (text, reference) in [
            ("/models/a b", ModelRef::Folder("/models/a b".into())),
            ("./x", ModelRef::Folder("./x".into())),
            ("a/b", ModelRef::Folder("a/b".into())),
            ("local:bge-small.en", ModelRef::Local("bge-small.en".into())),
            ("ollama:nomic:v1.5", remote(Service::Ollama, "nomic:v1.5", None)),
            (
                "openai:org/m@http://[::1]:8080/v1",
                remote(Service::OpenAi, "org/m", Some("http://[::1]:8080/v1")),
            ),
            ("voyage:voyage-4", remote(Service::Voyage, "voyage-4", None)),
            ("gemini:gemini-embedding-2", remote(Service::Gemini, "gemini-embedding-2", None)),
        ] {
            let read: ModelRef = text.parse().unwrap();
            assert_eq!(read, reference);
            assert_eq!(read.to_string(), text);
        }
    }

    #[test]
    fn what_names_no_model_is_an_error_with_its_reason() {
        for (text, error) in [
            ("", ModelRefError::Kind),
            ("minilm", ModelRefError::Kind),
            ("cohere:x", ModelRefError::Kind),
            ("local:", ModelRefError::Name),
            ("local:../x", ModelRefError::Name),
            ("local:a/b", ModelRefError::Name),
            ("openai:", ModelRefError::Name),
            ("openai:a b", ModelRefError::Name),
            ("openai:@https://a", ModelRefError::Name),
            ("openai:a@", ModelRefError::Address),
            ("openai:a@ftp://a", ModelRefError::Address),
            ("openai:a@https://", ModelRefError::Address),
            ("openai:a@https://user@host", ModelRefError::Address),
        ] {
            assert_eq!(text.parse::<ModelRef>(), Err(error), "{text}");
        }
    }

    #[test]
    fn installed_models_are_listed_by_name() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(local_models(home.path()), Vec::<String>::new());
        for name in ["b", "a", ".part", "empty"] {
            let folder = local_folder(home.path(), name);
            std::fs::create_dir_all(&folder).unwrap();
            if name != "empty" {
                std::fs::write(folder.join("config.json"), "{}").unwrap();
                std::fs::write(folder.join("model.safetensors"), "").unwrap();
            }
        }
        assert_eq!(local_models(home.path()), ["a", "b"]);
    }

    proptest! {
        #[test]
        fn what_can_be_read_is_written_alike(text in any::<String>(), scheme in "(local:|ollama:|openai:|/|)") {
            let text = scheme + &text;
            if let Ok(reference) = text.parse::<ModelRef>() {
                prop_assert_eq!(reference.to_string(), text);
            }
        }
    }
}
