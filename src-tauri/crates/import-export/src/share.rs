//! Pages that others may read: made, listed and ended by the person.

use domain::Problem;
use protocol::{SharePageOptions, ShareRow};
use sessions::shares::{list, revoke_share, store_share};
use support::blocking;

use crate::ImportExport;

impl ImportExport {
    /// Makes a page that others may read, or makes it anew.
    pub async fn share_add(&self, of: &SharePageOptions) -> Result<ShareRow, Problem> {
        let (title, page) = self.shared_page(&of.session, &of.keep).await?;
        let (home, of) = (self.env.home.clone(), of.clone());
        blocking(move || store_share(&home, &of, &title, &page)).await
    }

    /// Pages of the workspace's sessions that others may read.
    pub async fn share_list(&self) -> Result<Vec<ShareRow>, Problem> {
        let home = self.env.home.clone();
        let mut rows = blocking(move || Ok(list(&home))).await?;
        if let Some(workspace) = self.env.scope() {
            let own = self.env.store().sessions_of_workspace(&workspace).await?;
            rows.retain(|row| own.contains(&row.session));
        }
        Ok(rows)
    }

    /// Ends a share.
    pub async fn share_revoke(&self, id: &str) -> Result<(), Problem> {
        let (home, id) = (self.env.home.clone(), id.to_owned());
        blocking(move || revoke_share(&home, &id)).await
    }
}
