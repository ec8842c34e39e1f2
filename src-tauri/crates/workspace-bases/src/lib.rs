//! The bases of a workspace: its own, those that other workspaces share with it, and published texts, which are every
//! workspace's.
//!
//! A base's folder is called by its id, which is unique in a data directory and which runs are pinned to; people call it by its
//! name, which is unique in a workspace. Both are the same unless another workspace had the folder's name first. What a
//! workspace may not see does not exist there: neither lists nor errors name it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use knowledge::{
    BaseSummary, KnowledgeError, base_folder, base_ids, current_generation, generation_manifest, replace_file,
};
use serde::{Deserialize, Serialize};

/// The workspace of bases that say of none.
pub const DEFAULT_WORKSPACE: &str = "default";
/// The file beside a base that says whose it is.
const FILE: &str = "belongs.json";
/// What the name of a published text is told apart by where a workspace has a base of its name.
const PUBLISHED: &str = "published";
/// The longest name, in bytes.
const NAME_BYTES: usize = 64;

/// Whose a base is. Without a file it is the default workspace's, under the name of its folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Belonging {
    /// The slug of its workspace; empty for the default one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub workspace: String,
    /// Its name there; empty for its folder's.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The slugs of the workspaces that it is shared with.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub shared_with: BTreeSet<String>,
    /// Whether it is a published text, which every workspace has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub published: bool,
}

impl Belonging {
    /// What is written beside a base; the default where nothing is, or nothing that can be read.
    pub fn read(home: &Path, id: &str) -> Self {
        let text = place(home, id).and_then(|path| fs::read(path).ok()).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Whether something is written beside a base.
    pub fn is_written(home: &Path, id: &str) -> bool {
        place(home, id).is_some_and(|path| path.exists())
    }

    /// The slug of its workspace.
    pub fn owner(&self) -> &str {
        if self.workspace.is_empty() { DEFAULT_WORKSPACE } else { &self.workspace }
    }

    fn keep(&self, home: &Path, id: &str) -> Result<(), KnowledgeError> {
        let folder = base_folder(home, id)?;
        let path = folder.join(FILE);
        if *self == Self::default() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(&path)(error)),
                Ok(()) | Err(_) => Ok(()),
            };
        }
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        replace_file(&path, &text)
    }
}

/// A base as a workspace has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedBase {
    /// Its id: the name of its folder.
    pub id: String,
    /// Its name in the workspace.
    pub name: String,
    /// Whose it is.
    pub belonging: Belonging,
}

/// The bases that a workspace has. Reads the disk anew each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceBases {
    home: PathBuf,
    workspace: String,
}

impl WorkspaceBases {
    /// Of a workspace, by its slug; empty for the default one.
    pub fn new(home: &Path, workspace: &str) -> Self {
        let workspace = if workspace.is_empty() { DEFAULT_WORKSPACE } else { workspace };
        Self { home: home.to_owned(), workspace: workspace.to_owned() }
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The workspace's slug.
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// Its bases that can be opened, by name, each with its manifest. Bases of attached documents are left out.
    ///
    /// # Errors
    /// Only those of reading.
    pub fn list(&self) -> Result<Vec<(NamedBase, BaseSummary)>, KnowledgeError> {
        let mut listed: Vec<(NamedBase, BaseSummary)> = self
            .bases()
            .into_iter()
            .filter_map(|base| {
                let generation = current_generation(&self.home, &base.id).ok()?;
                let manifest = generation_manifest(&self.home, &base.id, &generation).ok()?;
                let summary = BaseSummary { name: base.id.clone(), manifest };
                summary.manifest.session.is_none().then_some((base, summary))
            })
            .collect();
        listed.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
        Ok(listed)
    }

    /// Names of its bases that can be opened.
    pub fn names(&self) -> Vec<String> {
        self.list().unwrap_or_default().into_iter().map(|(base, _)| base.name).collect()
    }

    /// The base of a name, or of an id where no name is it.
    ///
    /// # Errors
    /// `BadName` for what no base can be called; `UnknownBase` with the workspace's bases.
    pub fn find(&self, name: &str) -> Result<NamedBase, KnowledgeError> {
        base_folder(&self.home, name)?;
        let mut bases = self.bases();
        let at = bases.iter().position(|base| base.name == name);
        let at = at.or_else(|| bases.iter().position(|base| base.id == name));
        match at {
            Some(at) => Ok(bases.swap_remove(at)),
            None => Err(KnowledgeError::UnknownBase { name: name.to_owned(), existing: self.names() }),
        }
    }

    /// The name that the workspace has for an id; the id itself for one that it has none for, such as the base of an older
    /// session.
    pub fn name_of(&self, id: &str) -> String {
        self.bases().into_iter().find(|base| base.id == id).map_or_else(|| id.to_owned(), |base| base.name)
    }

    /// Whether the workspace may change a base.
    pub fn owns(&self, base: &NamedBase) -> bool {
        !base.belonging.published && base.belonging.owner() == self.workspace
    }

    /// The base that is made, or made again, under a name: the workspace's own of that name, else a new one, which is the
    /// workspace's from now on. A base of another workspace is no obstacle.
    ///
    /// # Errors
    /// `BadName`; `Foreign` for the name of a published text or of a base that another workspace shares.
    pub fn claim(&self, name: &str) -> Result<NamedBase, KnowledgeError> {
        base_folder(&self.home, name)?;
        if let Some(known) = self.bases().into_iter().find(|base| base.name == name) {
            return if self.owns(&known) { Ok(known) } else { Err(foreign(&known)) };
        }
        let belonging = Belonging {
            workspace: if self.workspace == DEFAULT_WORKSPACE {
                String::new()
            } else {
                self.workspace.clone()
            },
            name: name.to_owned(),
            ..Belonging::default()
        };
        let plain = (self.workspace == DEFAULT_WORKSPACE).then(|| name.to_owned());
        let id = self.free_id(plain, name, &self.workspace, |known| {
            known.owner() == self.workspace && known.name == name && !known.published
        });
        self.take(id, belonging)
    }

    /// The base of a published text, made where there is none. It is every workspace's.
    ///
    /// # Errors
    /// `BadName`; the disk.
    pub fn claim_published(&self, name: &str) -> Result<NamedBase, KnowledgeError> {
        base_folder(&self.home, name)?;
        let id = self.free_id(Some(name.to_owned()), name, PUBLISHED, |known| known.published);
        self.take(id, Belonging { published: true, name: name.to_owned(), ..Belonging::default() })
    }

    /// Keeps whose a base is before anything can be read of it.
    fn take(&self, id: String, mut belonging: Belonging) -> Result<NamedBase, KnowledgeError> {
        let name = belonging.name.clone();
        if name == id {
            belonging.name.clear();
        }
        let known = Belonging::read(&self.home, &id);
        belonging.shared_with = known.shared_with.clone();
        if known != belonging {
            belonging.keep(&self.home, &id)?;
        }
        Ok(NamedBase { id, name, belonging })
    }

    /// An id that nothing has, or something that is the same base.
    fn free_id(
        &self,
        plain: Option<String>,
        name: &str,
        mark: &str,
        is_same: impl Fn(&Belonging) -> bool,
    ) -> String {
        let marked = |number: usize| {
            let end = if number < 2 { format!(".{mark}") } else { format!(".{mark}-{number}") };
            let end: String = end.chars().take(NAME_BYTES - 1).collect();
            let kept: String = name.chars().take(NAME_BYTES - end.len()).collect();
            format!("{kept}{end}")
        };
        let is_free = |id: &String| {
            if !base_folder(&self.home, id).is_ok_and(|folder| folder.exists()) {
                return true;
            }
            let known = Belonging::read(&self.home, id);
            // A folder in which nothing was ever made is nobody's, unless it was claimed.
            let made = current_generation(&self.home, id).is_ok() || Belonging::is_written(&self.home, id);
            let called = Belonging {
                name: if known.name.is_empty() { id.clone() } else { known.name.clone() },
                ..known
            };
            !made || is_same(&called)
        };
        plain.into_iter().chain((1..).map(marked)).find(is_free).unwrap_or_default()
    }

    /// Shares a base of the workspace with another one, or no longer.
    ///
    /// # Errors
    /// `UnknownBase`; `Foreign` where it is not the workspace's own.
    pub fn share(&self, name: &str, with: &str, on: bool) -> Result<NamedBase, KnowledgeError> {
        let mut base = self.find(name)?;
        if !self.owns(&base) {
            return Err(foreign(&base));
        }
        if on && with != self.workspace {
            base.belonging.shared_with.insert(with.to_owned());
        } else {
            base.belonging.shared_with.remove(with);
        }
        base.belonging.keep(&self.home, &base.id)?;
        Ok(base)
    }

    /// With whom a base is shared, or who shares it, as it is printed after a row; empty where neither is so.
    pub fn sharing(&self, base: &NamedBase) -> String {
        let Belonging { shared_with, published, .. } = &base.belonging;
        if self.owns(base) && !shared_with.is_empty() {
            return format!("  shared with {}", shared_with.iter().cloned().collect::<Vec<_>>().join(", "));
        }
        let is_shared = !self.owns(base) && !published;
        if is_shared { format!("  shared by {}", base.belonging.owner()) } else { String::new() }
    }

    /// A base as JSON, for programs.
    pub fn row(&self, base: &NamedBase, summary: &BaseSummary) -> serde_json::Value {
        let mut row = serde_json::json!({ "name": base.name, "manifest": summary.manifest });
        if self.owns(base) && !base.belonging.shared_with.is_empty() {
            row["sharedWith"] = serde_json::json!(base.belonging.shared_with);
        } else if !self.owns(base) && !base.belonging.published {
            row["sharedBy"] = serde_json::json!(base.belonging.owner());
        }
        row
    }

    /// What the workspace has, each with a name that nothing else there has: its own first, then published texts, then what is
    /// shared with it.
    fn bases(&self) -> Vec<NamedBase> {
        let mut found: Vec<(u8, String, Belonging)> = base_ids(&self.home)
            .into_iter()
            .filter_map(|id| {
                let belonging = Belonging::read(&self.home, &id);
                let rank = match &belonging {
                    one if one.published => 1,
                    one if one.owner() == self.workspace => 0,
                    one if one.shared_with.contains(&self.workspace) => 2,
                    _ => return None,
                };
                Some((rank, id, belonging))
            })
            .collect();
        found.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        let mut taken = BTreeSet::new();
        found
            .into_iter()
            .map(|(_, id, belonging)| {
                let own = if belonging.name.is_empty() { &id } else { &belonging.name };
                let mark = if belonging.published { PUBLISHED } else { belonging.owner() };
                let name = [own.clone(), format!("{own}-{mark}")]
                    .into_iter()
                    .find(|name| name.len() <= NAME_BYTES && !taken.contains(name))
                    .unwrap_or_else(|| id.clone());
                taken.insert(name.clone());
                NamedBase { id, name, belonging }
            })
            .collect()
    }
}

/// Where it is written whose a base is; none for what no base can be called.
fn place(home: &Path, id: &str) -> Option<PathBuf> {
    Some(base_folder(home, id).ok()?.join(FILE))
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> KnowledgeError + use<> {
    let path = path.to_owned();
    move |source| KnowledgeError::Io { path, source }
}

fn foreign(base: &NamedBase) -> KnowledgeError {
    KnowledgeError::Foreign {
        name: base.name.clone(),
        owner: (!base.belonging.published).then(|| base.belonging.owner().to_owned()),
    }
}

/// Gives every base of a workspace to another one, as when the workspace is removed. Names that meet are told apart by the
/// workspace that they came from. Gives the ids.
///
/// # Errors
/// The disk; those before are given over then.
pub fn hand_over(home: &Path, from: &str, to: &str) -> Result<Vec<String>, KnowledgeError> {
    let mut taken: BTreeSet<String> =
        WorkspaceBases::new(home, to).bases().into_iter().map(|base| base.name).collect();
    let mut given = Vec::new();
    for id in base_ids(home) {
        let mut belonging = Belonging::read(home, &id);
        belonging.shared_with.remove(from);
        if belonging.published || belonging.owner() != from {
            if Belonging::read(home, &id) != belonging {
                belonging.keep(home, &id)?;
            }
            continue;
        }
        let was_shared = belonging.shared_with.remove(to);
        let own = if belonging.name.is_empty() { id.clone() } else { belonging.name.clone() };
        let mut names = std::iter::once(own.clone()).chain((1..).map(|number| match number {
            1 => format!("{own}-{from}"),
            number => format!("{own}-{from}-{number}"),
        }));
        let name = names.find(|name| was_shared || !taken.contains(name)).unwrap_or(own);
        taken.insert(name.clone());
        belonging.workspace = if to == DEFAULT_WORKSPACE { String::new() } else { to.to_owned() };
        belonging.name = if name == id { String::new() } else { name };
        belonging.keep(home, &id)?;
        given.push(id);
    }
    Ok(given)
}

/// Gives a base that says of no workspace to those that used it: it is the first one's and shared with the others.
///
/// # Errors
/// The disk.
pub fn give_to_users(home: &Path, id: &str, users: &[String]) -> Result<(), KnowledgeError> {
    let Some((owner, others)) = users.split_first() else { return Ok(()) };
    let belonging = Belonging {
        workspace: if owner == DEFAULT_WORKSPACE { String::new() } else { owner.clone() },
        shared_with: others.iter().cloned().collect(),
        ..Belonging::default()
    };
    belonging.keep(home, id)
}

/// Says that a base is a published text.
///
/// # Errors
/// The disk.
pub fn publish(home: &Path, id: &str) -> Result<(), KnowledgeError> {
    let known = Belonging::read(home, id);
    if known.published {
        Ok(())
    } else {
        Belonging { published: true, name: known.name, ..Belonging::default() }.keep(home, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A base that can be found: its folder with a current generation.
    fn made(home: &Path, id: &str) {
        let folder = base_folder(home, id).unwrap();
        fs::create_dir_all(folder.join("g000001")).unwrap();
        fs::write(folder.join("CURRENT"), "g000001\n").unwrap();
    }

    fn names(home: &Path, workspace: &str) -> Vec<String> {
        WorkspaceBases::new(home, workspace).bases().into_iter().map(|base| base.name).collect()
    }

    #[test]
    fn a_name_is_free_in_a_workspace_whatever_others_have() {
        let home = tempfile::tempdir().unwrap();
        let (a, b) = (WorkspaceBases::new(home.path(), ""), WorkspaceBases::new(home.path(), "client-b"));
        let first = a.claim("deal").unwrap();
        made(home.path(), &first.id);
        assert_eq!((first.id.as_str(), Belonging::is_written(home.path(), "deal")), ("deal", false));
        let second = b.claim("deal").unwrap();
        made(home.path(), &second.id);
        assert_eq!((second.id.as_str(), second.name.as_str()), ("deal.client-b", "deal"));
        assert_eq!(b.claim("deal").unwrap(), second, "the same base again");
        assert_eq!(
            (names(home.path(), "default"), names(home.path(), "client-b")),
            (vec!["deal".into()], vec!["deal".into()])
        );
        assert_eq!(b.find("deal").unwrap().id, "deal.client-b");
        assert!(matches!(a.find("deal.client-b"), Err(KnowledgeError::UnknownBase { .. })));
        // The other order: what another workspace made first is no obstacle either.
        let odd = b.claim("other").unwrap();
        made(home.path(), &odd.id);
        let long = "x".repeat(NAME_BYTES);
        assert!(b.claim(&long).unwrap().id.len() <= NAME_BYTES);
        assert_eq!(a.claim("other").unwrap().id, "other");
    }

    #[test]
    fn a_base_that_is_shared_is_seen_there_changed_here_and_told_apart() {
        let home = tempfile::tempdir().unwrap();
        let (a, b) = (WorkspaceBases::new(home.path(), ""), WorkspaceBases::new(home.path(), "b"));
        for (shelf, name) in [(&a, "deal"), (&b, "deal")] {
            made(home.path(), &shelf.claim(name).unwrap().id);
        }
        a.share("deal", "b", true).unwrap();
        assert_eq!(names(home.path(), "b"), ["deal", "deal-default"]);
        assert_eq!(b.find("deal-default").unwrap().id, "deal");
        assert!(matches!(b.claim("deal-default"), Err(KnowledgeError::Foreign { owner: Some(_), .. })));
        assert!(matches!(b.share("deal-default", "c", true), Err(KnowledgeError::Foreign { .. })));
        a.share("deal", "b", false).unwrap();
        assert_eq!(names(home.path(), "b"), ["deal"]);
        assert!(!Belonging::is_written(home.path(), "deal"), "as it was");
    }

    #[test]
    fn a_published_text_is_every_workspace_s_and_takes_no_base_of_one() {
        let home = tempfile::tempdir().unwrap();
        let (a, b) = (WorkspaceBases::new(home.path(), ""), WorkspaceBases::new(home.path(), "b"));
        made(home.path(), &a.claim("law").unwrap().id);
        let text = b.claim_published("law").unwrap();
        made(home.path(), &text.id);
        assert_eq!(text.id, "law.published");
        assert_eq!(
            (names(home.path(), "default"), names(home.path(), "b")),
            (vec!["law".into(), "law-published".into()], vec!["law".into()])
        );
        assert!(matches!(b.claim("law"), Err(KnowledgeError::Foreign { owner: None, .. })));
        assert_eq!(a.claim_published("law").unwrap().id, text.id);
    }

    #[test]
    fn a_text_that_several_runs_publish_at_the_same_time_is_published_by_each() {
        let home = tempfile::tempdir().unwrap();
        made(home.path(), "law");
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..8).map(|_| scope.spawn(|| publish(home.path(), "law"))).collect();
            runs.into_iter().for_each(|run| run.join().unwrap().unwrap());
        });
        assert!(Belonging::read(home.path(), "law").published);
    }

    #[test]
    fn bases_of_a_removed_workspace_go_where_its_sessions_go() {
        let home = tempfile::tempdir().unwrap();
        let (a, b) = (WorkspaceBases::new(home.path(), ""), WorkspaceBases::new(home.path(), "b"));
        for (shelf, name) in [(&a, "deal"), (&b, "deal"), (&b, "own")] {
            made(home.path(), &shelf.claim(name).unwrap().id);
        }
        a.share("deal", "b", true).unwrap();
        assert_eq!(hand_over(home.path(), "b", "default").unwrap(), ["deal.b", "own.b"]);
        assert_eq!(names(home.path(), "default"), ["deal", "deal-b", "own"]);
        assert_eq!(names(home.path(), "b"), Vec::<String>::new());
    }

    #[test]
    fn an_older_base_goes_to_those_who_used_it() {
        let home = tempfile::tempdir().unwrap();
        for id in ["deal", "unused"] {
            made(home.path(), id);
        }
        give_to_users(home.path(), "deal", &["b".to_owned(), "c".to_owned()]).unwrap();
        give_to_users(home.path(), "unused", &[]).unwrap();
        assert_eq!(names(home.path(), "default"), ["unused"]);
        assert_eq!(
            (names(home.path(), "b"), names(home.path(), "c")),
            (vec!["deal".into()], vec!["deal".into()])
        );
    }
}
