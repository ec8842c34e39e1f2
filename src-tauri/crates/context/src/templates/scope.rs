use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Serde, Value};

/// What expressions see: variables by name, and earlier outputs as `outputs.<name>`. Cloning is cheap: values are
/// shared, and each is converted once, when it is set.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    variables: Arc<Names>,
    outputs: Arc<Names>,
}

impl Scope {
    /// An empty scope.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a variable, replacing the one of that name.
    pub fn set(&mut self, name: &str, value: &serde_json::Value) {
        Arc::make_mut(&mut self.variables).0.insert(Arc::from(name), Value::from(Serde(value)));
    }

    /// The same scope with one more variable: for an `item` of a loop.
    pub fn with(&self, name: &str, value: &serde_json::Value) -> Self {
        let mut scope = self.clone();
        scope.set(name, value);
        scope
    }

    /// Sets `outputs.<name>`; other outputs are not touched.
    pub fn set_output(&mut self, name: &str, value: &serde_json::Value) {
        Arc::make_mut(&mut self.outputs).0.insert(Arc::from(name), Value::from(Serde(value)));
    }

    /// Takes `outputs.<name>` away, as before its stage had run.
    pub fn remove_output(&mut self, name: &str) {
        Arc::make_mut(&mut self.outputs).0.remove(name);
    }

    /// Whether there is a variable of that name (`outputs` always is one).
    pub fn has(&self, name: &str) -> bool {
        name == "outputs" || self.variables.0.contains_key(name)
    }

    pub(super) fn context(&self) -> Value {
        Value::from_object(Root { variables: self.variables.clone(), outputs: self.outputs.clone() })
    }
}

/// Values by name.
#[derive(Debug, Clone, Default)]
struct Names(BTreeMap<Arc<str>, Value>);

impl Object for Names {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.get(key.as_str()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.0.keys().map(|name| Value::from(name.clone())).collect())
    }
}

/// The top level: the variables and `outputs`.
#[derive(Debug)]
struct Root {
    variables: Arc<Names>,
    outputs: Arc<Names>,
}

impl Object for Root {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "outputs" => Some(Value::from_dyn_object(self.outputs.clone())),
            name => self.variables.0.get(name).cloned(),
        }
    }
}
