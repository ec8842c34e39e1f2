//! Optional content: layers that the document's own settings switch off.

use std::collections::BTreeSet;

use hayro_font::hayro_syntax::object::{Array, Dict, MaybeRef, Name, ObjRef, Object};

/// Most layers of a document.
const MAX_LAYERS: usize = 4096;
/// Deepest nesting of an expression over layers.
const MAX_DEPTH: usize = 16;

type Id = (u32, i32);

/// The layers that are not shown.
#[derive(Debug, Default)]
pub(super) struct Layers {
    off: BTreeSet<Id>,
}

fn id(reference: ObjRef) -> Id {
    (reference.obj_number, reference.gen_number)
}

fn ids(dict: &Dict<'_>, key: &str) -> Vec<Id> {
    let list = dict.get::<Array<'_>>(key);
    list.iter()
        .flat_map(Array::raw_iter)
        .filter_map(|item| item.as_obj_ref())
        .map(id)
        .take(MAX_LAYERS)
        .collect()
}

impl Layers {
    pub fn read(root: Option<&Dict<'_>>) -> Self {
        let mut layers = Self::default();
        let Some(all) = root.and_then(|root| root.get::<Dict<'_>>("OCProperties")) else { return layers };
        let Some(settings) = all.get::<Dict<'_>>("D") else { return layers };
        if settings.get::<Name<'_>>("BaseState").is_some_and(|state| state.as_str() == "OFF") {
            layers.off.extend(ids(&all, "OCGs"));
        }
        for on in ids(&settings, "ON") {
            layers.off.remove(&on);
        }
        layers.off.extend(ids(&settings, "OFF"));
        layers
    }

    /// Whether what belongs to the layer, or to the group of layers, under `key` is not shown.
    pub fn hide(&self, dict: &Dict<'_>, key: &str) -> bool {
        if self.off.is_empty() {
            return false;
        }
        let Some(layer) = dict.get::<Dict<'_>>(key) else { return false };
        if layer.get::<Name<'_>>("Type").is_some_and(|name| name.as_str() == "OCMD") {
            return !self.shows_group(&layer);
        }
        dict.get_ref(key).is_some_and(|layer| self.off.contains(&id(layer)))
    }

    fn shows_group(&self, group: &Dict<'_>) -> bool {
        if let Some(expression) = group.get::<Array<'_>>("VE") {
            return self.holds(&expression, 0);
        }
        let mut layers = ids(group, "OCGs");
        if layers.is_empty() {
            layers.extend(group.get_ref("OCGs").map(id));
        }
        let policy = group.get::<Name<'_>>("P");
        let on = |layer: &Id| !self.off.contains(layer);
        layers.is_empty()
            || match policy.as_ref().map_or("AnyOn", Name::as_str) {
                "AllOn" => layers.iter().all(on),
                "AnyOff" => !layers.iter().all(on),
                "AllOff" => !layers.iter().any(on),
                _ => layers.iter().any(on),
            }
    }

    /// Whether an expression like `[/And layer [/Not layer]]` holds.
    fn holds(&self, expression: &Array<'_>, depth: usize) -> bool {
        let mut items = expression.raw_iter();
        let operator = match items.next() {
            Some(MaybeRef::NotRef(Object::Name(name))) => name.as_str().to_owned(),
            _ => return true,
        };
        let mut operands = items.take(MAX_LAYERS).map(|item| match item {
            MaybeRef::Ref(layer) => !self.off.contains(&id(layer)),
            MaybeRef::NotRef(Object::Array(inner)) if depth < MAX_DEPTH => self.holds(&inner, depth + 1),
            MaybeRef::NotRef(_) => true,
        });
        match operator.as_str() {
            "And" => operands.all(|on| on),
            "Or" => operands.any(|on| on),
            "Not" => !operands.next().unwrap_or(false),
            _ => true,
        }
    }
}
