//! Schemas as far as reading by them needs it: references, types, whether null is allowed.

use serde_json::Value;

/// References that are followed from one schema.
const MAX_REFERENCES: usize = 16;

/// A schema with the whole that its references lead into.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'a> {
    pub(crate) root: &'a Value,
    pub(crate) here: &'a Value,
}

/// The types of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }
}

impl<'a> Schema<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root, here: root }.followed()
    }

    pub(crate) fn at(self, here: &'a Value) -> Self {
        Self { here, ..self }.followed()
    }

    /// Where its reference leads, as far as that is in the same schema.
    fn followed(mut self) -> Self {
        for _ in 0..MAX_REFERENCES {
            let target =
                self.here.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
            match target.and_then(|path| self.root.pointer(path)) {
                Some(next) => self.here = next,
                None => break,
            }
        }
        self
    }

    pub(crate) fn property(self, name: &str) -> Option<Self> {
        Some(self.at(self.here.get("properties")?.get(name)?))
    }

    pub(crate) fn names(self) -> impl Iterator<Item = &'a str> {
        self.here
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|all| all.keys().map(String::as_str))
    }

    pub(crate) fn requires(self, name: &str) -> bool {
        let required = self.here.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|one| one == name))
    }

    /// Schemas of which one has to hold.
    pub(crate) fn branches(self) -> Vec<Self> {
        let all = ["anyOf", "oneOf"].into_iter().filter_map(|word| self.here.get(word)?.as_array());
        all.flatten().map(|branch| self.at(branch)).collect()
    }

    /// Schemas that have to hold as well.
    pub(crate) fn parts(self) -> Vec<Self> {
        let all = self.here.get("allOf").and_then(Value::as_array);
        all.into_iter().flatten().map(|part| self.at(part)).collect()
    }

    /// The types that it names, or that its other words can only mean. Empty: any.
    pub(crate) fn types(self) -> Vec<Type> {
        let mut types: Vec<Type> = match self.here.get("type") {
            Some(Value::String(one)) => Type::from_name(one).into_iter().collect(),
            Some(Value::Array(several)) => {
                several.iter().filter_map(|one| Type::from_name(one.as_str()?)).collect()
            }
            _ => Vec::new(),
        };
        if types.is_empty() {
            for (word, kind) in [("properties", Type::Object), ("items", Type::Array)] {
                if self.here.get(word).is_some() {
                    types.push(kind);
                }
            }
        }
        if !types.is_empty() && self.here.get("nullable") == Some(&Value::Bool(true)) {
            types.push(Type::Null);
        }
        types
    }

    /// The values that it lists.
    pub(crate) fn listed(self) -> Vec<&'a Value> {
        let all = self.here.get("enum").and_then(Value::as_array);
        all.into_iter().flatten().chain(self.here.get("const")).collect()
    }

    /// Whether null satisfies it, as far as its types, lists and branches say.
    pub(crate) fn allows_null(self) -> bool {
        let (types, listed, branches) = (self.types(), self.listed(), self.branches());
        (types.is_empty() || types.contains(&Type::Null))
            && (listed.is_empty() || listed.contains(&&Value::Null))
            && (branches.is_empty() || branches.into_iter().any(Self::allows_null))
            && self.parts().into_iter().all(Self::allows_null)
            && self.here != &Value::Bool(false)
    }

    /// Whether a value satisfies it, its references included.
    pub(crate) fn is_satisfied_by(self, value: &Value) -> bool {
        let mut whole = serde_json::Map::new();
        for word in ["$schema", "$defs", "definitions"] {
            if let Some(part) = self.root.get(word) {
                whole.insert(word.to_owned(), part.clone());
            }
        }
        whole.insert("allOf".to_owned(), Value::Array(vec![self.here.clone()]));
        jsonschema::validator_for(&Value::Object(whole)).is_ok_and(|validator| validator.is_valid(value))
    }
}
