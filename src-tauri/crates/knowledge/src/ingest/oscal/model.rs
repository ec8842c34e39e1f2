//! The part of the OSCAL catalogue model that carries text and links (NIST, OSCAL 1.x, `oscal_catalog_schema.json`).
//! Unknown fields are passed over; the parser bounds the nesting. What the schema requires is required here too: an element
//! of a few bytes would take fifty times as much memory.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// A file: exactly one of these is there.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct File {
    pub(super) catalog: Option<Catalog>,
    profile: Option<IgnoredAny>,
    system_security_plan: Option<IgnoredAny>,
    component_definition: Option<IgnoredAny>,
    assessment_plan: Option<IgnoredAny>,
    assessment_results: Option<IgnoredAny>,
    plan_of_action_and_milestones: Option<IgnoredAny>,
    mapping_collection: Option<IgnoredAny>,
}

/// The other models of OSCAL, by the key that opens them.
pub(super) const OTHERS: [&str; 7] = [
    "profile",
    "system-security-plan",
    "component-definition",
    "assessment-plan",
    "assessment-results",
    "plan-of-action-and-milestones",
    "mapping-collection",
];

impl File {
    /// The name of the model when it is another one.
    pub(super) fn other(&self) -> Option<&'static str> {
        let there = [
            &self.profile,
            &self.system_security_plan,
            &self.component_definition,
            &self.assessment_plan,
            &self.assessment_results,
            &self.plan_of_action_and_milestones,
            &self.mapping_collection,
        ];
        OTHERS.into_iter().zip(there).find_map(|(name, one)| one.is_some().then_some(name))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Catalog {
    #[serde(default)]
    pub(super) metadata: Metadata,
    #[serde(default)]
    pub(super) params: Vec<Param>,
    #[serde(default)]
    pub(super) controls: Vec<Control>,
    #[serde(default)]
    pub(super) groups: Vec<Group>,
    #[serde(default)]
    pub(super) back_matter: BackMatter,
}

#[derive(Deserialize, Default)]
pub(super) struct Metadata {
    #[serde(default)]
    pub(super) title: String,
}

#[derive(Deserialize, Default)]
pub(super) struct BackMatter {
    #[serde(default)]
    pub(super) resources: Vec<Resource>,
}

#[derive(Deserialize)]
pub(super) struct Resource {
    pub(super) uuid: String,
    pub(super) title: Option<String>,
    pub(super) citation: Option<Citation>,
}

#[derive(Deserialize)]
pub(super) struct Citation {
    pub(super) text: String,
}

#[derive(Deserialize)]
pub(super) struct Group {
    #[serde(default)]
    pub(super) id: String,
    pub(super) title: String,
    #[serde(default)]
    pub(super) props: Vec<Prop>,
    #[serde(default)]
    pub(super) params: Vec<Param>,
    #[serde(default)]
    pub(super) parts: Vec<Part>,
    #[serde(default)]
    pub(super) groups: Vec<Group>,
    #[serde(default)]
    pub(super) controls: Vec<Control>,
}

#[derive(Deserialize)]
pub(super) struct Control {
    pub(super) id: String,
    pub(super) title: String,
    #[serde(default)]
    pub(super) props: Vec<Prop>,
    #[serde(default)]
    pub(super) params: Vec<Param>,
    #[serde(default)]
    pub(super) links: Vec<Link>,
    #[serde(default)]
    pub(super) parts: Vec<Part>,
    #[serde(default)]
    pub(super) controls: Vec<Control>,
}

#[derive(Deserialize)]
pub(super) struct Prop {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) class: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Param {
    pub(super) id: String,
    #[serde(default)]
    pub(super) props: Vec<Prop>,
    pub(super) label: Option<String>,
    #[serde(default)]
    pub(super) values: Vec<String>,
    pub(super) select: Option<Select>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Select {
    pub(super) how_many: Option<String>,
    #[serde(default)]
    pub(super) choice: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Link {
    pub(super) href: String,
    #[serde(default)]
    pub(super) rel: String,
    pub(super) text: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Part {
    #[serde(default)]
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) props: Vec<Prop>,
    #[serde(default)]
    pub(super) prose: String,
    #[serde(default)]
    pub(super) parts: Vec<Part>,
    #[serde(default)]
    pub(super) links: Vec<Link>,
}

/// The label as people cite it: the one without a class, else one that is neither the zero-padded form nor that of
/// the assessment procedures.
pub(super) fn label(props: &[Prop]) -> Option<&str> {
    let labels = || props.iter().filter(|prop| prop.name == "label" && !prop.value.trim().is_empty());
    labels()
        .find(|prop| prop.class.is_none())
        .or_else(|| labels().find(|prop| !matches!(prop.class.as_deref(), Some("zero-padded" | "sp800-53a"))))
        .map(|prop| prop.value.trim())
}
