//! What of the system a command may read that only reads: programs, libraries and what they need to run.
//!
//! Everything else on the machine belongs to somebody: a service, another user, a program's data.

use crate::known_folders::below;

/// Folders of the system, whole.
pub const SYSTEM_FOLDERS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/run/current-system/sw",
    "/sys",
    "/System/Library",
    "/Library/Developer",
    "/opt/homebrew",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/default/locale",
    "/etc/fonts",
    "/etc/java",
    "/etc/ld.so.conf.d",
    "/etc/locale",
    "/etc/perl",
    "/etc/php",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/python3",
    "/etc/R",
    "/etc/sgml",
    "/etc/skel",
    "/etc/ssl/certs",
    "/etc/terminfo",
    "/etc/xml",
];

/// Files of the system's settings, each by itself.
pub const SYSTEM_FILES: &[&str] = &[
    "/etc/bash.bashrc",
    "/etc/debian_version",
    "/etc/fedora-release",
    "/etc/gai.conf",
    "/etc/gitconfig",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/issue",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/locale.gen",
    "/etc/localtime",
    "/etc/login.defs",
    "/etc/lsb-release",
    "/etc/machine-info",
    "/etc/magic",
    "/etc/magic.mime",
    "/etc/mime.types",
    "/etc/networks",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/papersize",
    "/etc/passwd",
    "/etc/protocols",
    "/etc/redhat-release",
    "/etc/resolv.conf",
    "/etc/rpc",
    "/etc/services",
    "/etc/shells",
    "/etc/ssl/openssl.cnf",
    "/etc/subgid",
    "/etc/subuid",
    "/etc/timezone",
];

/// Folders in those of the system that hold settings and data of this machine all the same.
pub const SYSTEM_HIDDEN: &[&str] = &[
    "/usr/local/etc",
    "/usr/local/srv",
    "/usr/local/var",
    "/usr/local/www",
    "/usr/etc",
    "/sys/kernel/debug",
];

/// Whether a path is the system's own; `wide`: with everything below it.
pub(crate) fn is_system(path: &str, wide: bool) -> bool {
    let hidden = |folder: &&&str| below(path, folder).is_some() || wide && below(folder, path).is_some();
    let shown = SYSTEM_FILES.contains(&path)
        || SYSTEM_FOLDERS.iter().any(|folder| below(path, folder).is_some())
        || below(path, "/dev").is_some();
    shown && SYSTEM_HIDDEN.iter().find(hidden).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_a_service_or_a_person_is_not_the_systems() {
        for path in
            ["/usr/bin/env", "/usr/share/dict/words", "/etc/hosts", "/etc/ssl/certs/a.pem", "/lib/x.so"]
        {
            assert!(is_system(path, false), "{path}");
        }
        for path in [
            "/",
            "/etc",
            "/etc/x.conf",
            "/opt/a",
            "/var/lib/a/token",
            "/usr/local/etc/x",
            "/work",
            "/usrx",
            "/data",
        ] {
            assert!(!is_system(path, false), "{path}");
        }
        assert!(is_system("/usr/include", true));
        assert!(!is_system("/usr/local", true));
    }
}
