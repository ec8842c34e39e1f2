//! Reading values out of JSON with the place of what is wrong.

use serde_json::{Map, Value};

use crate::entry::Fault;

/// An object of the file, with what is wrong in it so far.
pub(crate) struct Fields<'a> {
    map: &'a Map<String, Value>,
    place: String,
    faults: &'a mut Vec<Fault>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(value: &'a Value, place: &str, faults: &'a mut Vec<Fault>) -> Option<Self> {
        let Value::Object(map) = value else {
            faults.push(Fault::new(place, "an object is expected here"));
            return None;
        };
        Some(Self { map, place: place.to_owned(), faults })
    }

    pub(crate) fn place(&self, name: &str) -> String {
        format!("{}/{name}", self.place)
    }

    pub(crate) fn fault(&mut self, name: &str, what: impl Into<String>) {
        let place = self.place(name);
        self.faults.push(Fault::new(&place, what));
    }

    pub(crate) fn faults(&mut self) -> &mut Vec<Fault> {
        self.faults
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// A text of at most `most` bytes.
    pub(crate) fn text(&mut self, name: &str, most: usize) -> Option<String> {
        let Value::String(text) = self.get(name)? else {
            self.fault(name, "a text is expected here");
            return None;
        };
        if text.len() > most {
            self.fault(name, format!("it is longer than {most} bytes"));
            return None;
        }
        Some(text.clone())
    }

    /// A text that has to be there and not blank.
    pub(crate) fn needed(&mut self, name: &str, most: usize) -> Option<String> {
        let given = self.get(name).is_some();
        let text = self.text(name, most)?;
        if text.trim().is_empty() {
            self.fault(name, "it is empty");
            return None;
        }
        given.then_some(text)
    }

    pub(crate) fn flag(&mut self, name: &str) -> Option<bool> {
        let flag = self.get(name)?.as_bool();
        if flag.is_none() {
            self.fault(name, "true or false is expected here");
        }
        flag
    }

    pub(crate) fn count(&mut self, name: &str, most: u64) -> Option<u64> {
        match self.get(name)?.as_u64().filter(|number| (1..=most).contains(number)) {
            Some(number) => Some(number),
            None => {
                self.fault(name, format!("a whole number from 1 to {most} is expected here"));
                None
            }
        }
    }

    /// Texts; at most `most` of them, each of at most 500 bytes.
    pub(crate) fn texts(&mut self, name: &str, most: usize) -> Vec<String> {
        let Some(value) = self.get(name) else { return Vec::new() };
        let texts: Option<Vec<String>> = value.as_array().and_then(|items| {
            items
                .iter()
                .map(|item| item.as_str().filter(|text| text.len() <= 500).map(str::to_owned))
                .collect()
        });
        match texts {
            Some(texts) if texts.len() <= most => texts,
            _ => {
                self.fault(name, format!("a list of at most {most} texts is expected here"));
                Vec::new()
            }
        }
    }

    /// A value of one of ours, by serde.
    pub(crate) fn word<T: serde::de::DeserializeOwned>(&mut self, name: &str, expected: &str) -> Option<T> {
        let value = self.get(name)?;
        match serde_json::from_value(value.clone()) {
            Ok(word) => Some(word),
            Err(_) => {
                self.fault(name, format!("{expected} is expected here"));
                None
            }
        }
    }
}
