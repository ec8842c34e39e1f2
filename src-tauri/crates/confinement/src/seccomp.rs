//! The system call filter of confined commands: what namespaces and read-only mounts leave open.
//!
//! A socket of the file system can be connected to on a read-only mount, vsock and kernel keyrings belong to no
//! namespace, and io_uring does the work of calls that a filter refuses. So sockets are refused as a whole but for
//! connected pairs, which programs use to speak to their own children, and the rest by name. The program is classic BPF
//! (Linux `Documentation/userspace-api/seccomp_filter.rst`).

/// `struct sock_filter` in the machine's byte order.
struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    value: u32,
}

const LOAD_WORD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const AND: u16 = 0x54; // BPF_ALU | BPF_AND | BPF_K
const JUMP_EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const JUMP_SET: u16 = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K

const ALLOW: u32 = 0x7fff_0000;
const ERROR: u32 = 0x0005_0000;

/// Offsets in `struct seccomp_data`; of an argument the low half, which is the first on every machine named here.
const NUMBER: u32 = 0;
const MACHINE: u32 = 4;
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

#[cfg(target_arch = "x86_64")]
const THIS_MACHINE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const THIS_MACHINE: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const THIS_MACHINE: u32 = 0xc000_00f3;

/// Where a number is made a call of the x32 interface, which a filter by number would miss.
const X32: u32 = 0x4000_0000;

/// `CLONE_NEW…` for every kind of namespace.
const NEW_NAMESPACES: u32 = 0x7e02_0000;

/// Numbers that are the same on every machine since Linux 5.1, and newer than some versions of `libc` know.
const NEWER: &[libc::c_long] = &[
    467, // open_tree_attr
    469, // file_setattr
];

/// Refused with "operation not permitted".
const FORBIDDEN: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// What read-only mounts refuse anyway: twice is better where it is a matter of one line. Refused to what only reads.
const OF_WRITERS: &[libc::c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_mknodat,
    463, // setxattrat
    466, // removexattrat
];
#[cfg(target_arch = "x86_64")]
const OF_WRITERS_ONLY_HERE: &[libc::c_long] = &[libc::SYS_mknod];
#[cfg(not(target_arch = "x86_64"))]
const OF_WRITERS_ONLY_HERE: &[libc::c_long] = &[];

/// Calls that only some machines have.
#[cfg(target_arch = "x86_64")]
const ONLY_HERE: &[libc::c_long] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_ustat,
    libc::SYS_sysfs,
    libc::SYS__sysctl,
    libc::SYS_kexec_file_load,
];
#[cfg(not(target_arch = "x86_64"))]
const ONLY_HERE: &[libc::c_long] = &[];

/// Refused with "permission denied": whatever reaches out of the process by a socket.
const SOCKETS: &[libc::c_long] = &[libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen];

/// Refused with "read-only file system" to the machine's administrator, who owns the devices that a confined command
/// shares with everybody (`/dev/null`): their mount can't be read-only.
const OF_OWNERS: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    452, // fchmodat2
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
];
#[cfg(target_arch = "x86_64")]
const OF_OWNERS_ONLY_HERE: &[libc::c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OF_OWNERS_ONLY_HERE: &[libc::c_long] = &[];

/// What a command is confined for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To read.
    Reading,
    /// To read, and to write to copies of folders.
    Copies,
    /// To change some folders, with the network.
    Folders,
}

/// The filter as the kernel reads it, or `None` on a machine whose numbers are not known here. `owner`: for the
/// machine's administrator, of commands that share their devices with everybody.
pub(super) fn program(owner: bool, purpose: Purpose) -> Option<Vec<u8>> {
    let mut program = Program(Vec::new());
    program.push(LOAD_WORD, 0, 0, MACHINE);
    program.push(JUMP_EQUAL, 1, 0, machine()?);
    program.refuse(libc::ENOSYS);
    program.push(LOAD_WORD, 0, 0, NUMBER);
    if cfg!(target_arch = "x86_64") {
        program.push(JUMP_AT_LEAST, 0, 1, X32);
        program.refuse(libc::ENOSYS);
    }
    for number in FORBIDDEN.iter().chain(ONLY_HERE).chain(NEWER) {
        program.on(*number, &[refusal(libc::EPERM)]);
    }
    if purpose == Purpose::Reading {
        for number in OF_WRITERS.iter().chain(OF_WRITERS_ONLY_HERE) {
            program.on(*number, &[refusal(libc::EPERM)]);
        }
    }
    // Where nothing can be changed but some folders, nobody could work without.
    if owner && purpose != Purpose::Folders {
        for number in OF_OWNERS.iter().chain(OF_OWNERS_ONLY_HERE) {
            program.on(*number, &[refusal(libc::EROFS)]);
        }
    }
    if purpose == Purpose::Folders {
        // Sockets of the machine below this one reach programs on that.
        program.on(
            libc::SYS_socket,
            &[
                (LOAD_WORD, 0, 0, argument(0)),
                (JUMP_EQUAL, 0, 1, libc::AF_VSOCK.unsigned_abs()),
                refusal(libc::EACCES),
                (RETURN, 0, 0, ALLOW),
            ],
        );
    } else {
        no_sockets(&mut program);
    }
    // The flags of clone3 lie in memory, where a filter can't look; without it programs use clone.
    program.on(libc::SYS_clone3, &[refusal(libc::ENOSYS)]);
    program.on(
        libc::SYS_clone,
        &[
            (LOAD_WORD, 0, 0, argument(0)),
            (JUMP_SET, 0, 1, NEW_NAMESPACES),
            refusal(libc::EPERM),
            (RETURN, 0, 0, ALLOW),
        ],
    );
    if purpose != Purpose::Folders {
        no_locks(&mut program, purpose);
    }
    // Characters typed into a terminal for whoever reads from it next.
    program.on(
        libc::SYS_ioctl,
        &[
            (LOAD_WORD, 0, 0, argument(1)),
            (JUMP_EQUAL, 1, 0, 0x5412), // TIOCSTI
            (JUMP_EQUAL, 0, 1, 0x541c), // TIOCLINUX
            refusal(libc::EPERM),
            (RETURN, 0, 0, ALLOW),
        ],
    );
    program.push(RETURN, 0, 0, ALLOW);
    Some(program.bytes())
}

/// Refuses whatever reaches out of the process by a socket.
fn no_sockets(program: &mut Program) {
    for number in SOCKETS {
        program.on(*number, &[refusal(libc::EACCES)]);
    }
    // A datagram socket of a pair can still be sent or connected to an address.
    program.on(
        libc::SYS_socketpair,
        &[
            (LOAD_WORD, 0, 0, argument(1)),
            (AND, 0, 0, 0xf),
            (JUMP_EQUAL, 2, 0, libc::SOCK_STREAM.unsigned_abs()),
            (JUMP_EQUAL, 1, 0, libc::SOCK_SEQPACKET.unsigned_abs()),
            refusal(libc::EACCES),
            (RETURN, 0, 0, ALLOW),
        ],
    );
}

/// Refuses locks: one on somebody's file holds on a read-only mount, too, and keeps others waiting.
fn no_locks(program: &mut Program, purpose: Purpose) {
    // Build tools go on without where a file system has none; one that can't give any now is an error to them.
    program.on(
        libc::SYS_flock,
        &[refusal(if purpose == Purpose::Copies { libc::EOPNOTSUPP } else { libc::ENOLCK })],
    );
    program.on(
        libc::SYS_fcntl,
        &[
            (LOAD_WORD, 0, 0, argument(1)),
            (JUMP_EQUAL, 6, 0, libc::F_SETLK.unsigned_abs()),
            (JUMP_EQUAL, 5, 0, libc::F_SETLKW.unsigned_abs()),
            (JUMP_EQUAL, 4, 0, libc::F_OFD_SETLK.unsigned_abs()),
            (JUMP_EQUAL, 3, 0, libc::F_OFD_SETLKW.unsigned_abs()),
            (JUMP_EQUAL, 2, 0, libc::F_SETLEASE.unsigned_abs()),
            (JUMP_EQUAL, 1, 0, libc::F_NOTIFY.unsigned_abs()),
            (RETURN, 0, 0, ALLOW),
            refusal(libc::ENOLCK),
        ],
    );
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
const fn machine() -> Option<u32> {
    Some(THIS_MACHINE)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const fn machine() -> Option<u32> {
    None
}

type Word = (u16, u8, u8, u32);

const fn refusal(errno: i32) -> Word {
    (RETURN, 0, 0, ERROR | errno.unsigned_abs())
}

struct Program(Vec<Instruction>);

impl Program {
    fn push(&mut self, code: u16, if_true: u8, if_false: u8, value: u32) {
        self.0.push(Instruction { code, if_true, if_false, value });
    }

    fn refuse(&mut self, errno: i32) {
        let (code, if_true, if_false, value) = refusal(errno);
        self.push(code, if_true, if_false, value);
    }

    /// Does `then` for this call. It has to end in a return, since it may change what was loaded.
    fn on(&mut self, number: libc::c_long, then: &[Word]) {
        let (Ok(number), Ok(length)) = (u32::try_from(number), u8::try_from(then.len())) else {
            return;
        };
        self.push(JUMP_EQUAL, 0, length, number);
        for (code, if_true, if_false, value) in then {
            self.push(*code, *if_true, *if_false, *value);
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len() * 8);
        for one in &self.0 {
            bytes.extend(one.code.to_ne_bytes());
            bytes.extend([one.if_true, one.if_false]);
            bytes.extend(one.value.to_ne_bytes());
        }
        bytes
    }
}
