//! The system calls that a confined server does not get, and why. Landlock sees paths and
//! connections; what it does not see is here.

/// When a row applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// With any restriction.
    Always,
    /// Where files are closed.
    FilesClosed,
    /// Where files are closed, and no read-only view of them could be made.
    AttributesOpen,
    /// Where programs are closed.
    ProgramsClosed,
}

/// One comparison of an argument.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compare {
    /// It is this.
    Is(u8, u64),
    /// It is not this.
    IsNot(u8, u64),
    /// It has this bit.
    Has(u8, u64),
    /// It lacks this bit.
    Lacks(u8, u64),
}

/// What is refused, and when.
pub(super) struct Refusal {
    pub(super) when: When,
    /// The first word of what a reader looks for; the reason stands above the row.
    pub(super) calls: &'static [i64],
    /// Each a way to be refused, in which all comparisons hold; none for any call.
    pub(super) ways: &'static [&'static [Compare]],
}

/// The newest call that this table has an opinion on. Newer ones do not exist for a confined server:
/// programs that hear so take an older one.
pub(super) const NEWEST_CALL: u32 = 469;

/// Calls that have a number on every architecture, and no name yet in the library.
mod unnamed {
    pub(super) const FCHMODAT2: i64 = 452;
    pub(super) const SETXATTRAT: i64 = 463;
    pub(super) const GETXATTRAT: i64 = 464;
    pub(super) const LISTXATTRAT: i64 = 465;
    pub(super) const REMOVEXATTRAT: i64 = 466;
    pub(super) const OPEN_TREE_ATTR: i64 = 467;
    pub(super) const FILE_SETATTR: i64 = 469;
}

use Compare::{Has, Is, IsNot, Lacks};
use When::{Always, AttributesOpen, FilesClosed, ProgramsClosed};

const fn any(when: When, calls: &'static [i64]) -> Refusal {
    Refusal { when, calls, ways: &[] }
}

const fn only(when: When, calls: &'static [i64], ways: &'static [&'static [Compare]]) -> Refusal {
    Refusal { when, calls, ways }
}

const fn bits(flag: i32) -> u64 {
    flag.cast_unsigned() as u64
}

const SET_USER: u64 = libc::S_ISUID as u64;
const SET_GROUP: u64 = libc::S_ISGID as u64;
const CREATE: u64 = bits(libc::O_CREAT);
/// The bit that a file without a name has beside that of a folder.
const UNNAMED: u64 = bits(libc::O_TMPFILE & !libc::O_DIRECTORY);

/// Refused as not permitted.
pub(super) const NOT_PERMITTED: &[Refusal] = &[
    // Memory, messages and counters by number or name, which outlive the session.
    any(Always, &[libc::SYS_shmget, libc::SYS_shmat, libc::SYS_shmctl]),
    any(Always, &[libc::SYS_msgget, libc::SYS_msgsnd, libc::SYS_msgrcv, libc::SYS_msgctl]),
    any(Always, &[libc::SYS_semget, libc::SYS_semop, libc::SYS_semtimedop, libc::SYS_semctl]),
    any(Always, &[libc::SYS_mq_open, libc::SYS_mq_unlink, libc::SYS_mq_timedsend]),
    any(Always, &[libc::SYS_mq_timedreceive, libc::SYS_mq_notify, libc::SYS_mq_getsetattr]),
    // Namespaces, in which it would have every capability.
    any(Always, &[libc::SYS_unshare, libc::SYS_setns]),
    only(
        Always,
        &[libc::SYS_clone],
        &[
            &[Has(0, bits(libc::CLONE_NEWNS))],
            &[Has(0, bits(libc::CLONE_NEWCGROUP))],
            &[Has(0, bits(libc::CLONE_NEWUTS))],
            &[Has(0, bits(libc::CLONE_NEWIPC))],
            &[Has(0, bits(libc::CLONE_NEWUSER))],
            &[Has(0, bits(libc::CLONE_NEWPID))],
            &[Has(0, bits(libc::CLONE_NEWNET))],
        ],
    ),
    // Another view of the file system.
    any(Always, &[libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot]),
    any(Always, &[libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick]),
    any(Always, &[libc::SYS_open_tree, libc::SYS_move_mount, libc::SYS_mount_setattr]),
    any(Always, &[unnamed::OPEN_TREE_ATTR]),
    // Files by a number instead of a path.
    any(Always, &[libc::SYS_name_to_handle_at, libc::SYS_open_by_handle_at]),
    // Limits, priorities and processors of other processes: of facet, for example.
    only(Always, &[libc::SYS_prlimit64], &[&[IsNot(0, 0)]]),
    only(Always, &[libc::SYS_setpriority], &[&[IsNot(0, 0)], &[IsNot(1, 0)]]),
    // Here 1 is "a process".
    only(Always, &[libc::SYS_ioprio_set], &[&[IsNot(0, 1)], &[IsNot(1, 0)]]),
    only(
        Always,
        &[
            libc::SYS_sched_setaffinity,
            libc::SYS_sched_setattr,
            libc::SYS_sched_setparam,
            libc::SYS_sched_setscheduler,
        ],
        &[&[IsNot(0, 0)]],
    ),
    // Memory and descriptors of other processes.
    any(Always, &[libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev]),
    any(Always, &[libc::SYS_kcmp, libc::SYS_pidfd_getfd, libc::SYS_process_madvise]),
    only(Always, &[libc::SYS_move_pages, libc::SYS_migrate_pages], &[&[IsNot(0, 0)]]),
    // Keys that all processes of a user share.
    any(Always, &[libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl]),
    // Words typed into a terminal, as if its user had.
    only(Always, &[libc::SYS_ioctl], &[&[Is(1, libc::TIOCSTI)], &[Is(1, libc::TIOCLINUX)]]),
    // Programs for the kernel, what it knows of others, and calls that attacks on it are made of.
    any(Always, &[libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_userfaultfd]),
    any(Always, &[libc::SYS_syslog, libc::SYS_lookup_dcookie, libc::SYS_memfd_secret]),
    only(Always, &[libc::SYS_personality], &[&[IsNot(0, 0), IsNot(0, 0xffff_ffff)]]),
    // The machine: modules, swap, clock, name, accounts of disk and processes, another kernel.
    any(Always, &[libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module]),
    any(Always, &[libc::SYS_kexec_load, libc::SYS_kexec_file_load, libc::SYS_reboot]),
    any(Always, &[libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_acct]),
    any(Always, &[libc::SYS_quotactl, libc::SYS_quotactl_fd, libc::SYS_vhangup]),
    any(Always, &[libc::SYS_settimeofday, libc::SYS_clock_settime]),
    any(Always, &[libc::SYS_adjtimex, libc::SYS_clock_adjtime]),
    any(Always, &[libc::SYS_sethostname, libc::SYS_setdomainname]),
    #[cfg(target_arch = "x86_64")]
    any(Always, &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt]),
    // Without a read-only view, mode, owner, times and attributes of any file that it can name.
    any(AttributesOpen, &[libc::SYS_fchmod, libc::SYS_fchmodat, unnamed::FCHMODAT2]),
    any(AttributesOpen, &[libc::SYS_fchown, libc::SYS_fchownat, libc::SYS_utimensat]),
    any(AttributesOpen, &[libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr]),
    any(AttributesOpen, &[libc::SYS_removexattr, libc::SYS_lremovexattr]),
    any(AttributesOpen, &[libc::SYS_fremovexattr, unnamed::SETXATTRAT, unnamed::REMOVEXATTRAT]),
    any(AttributesOpen, &[unnamed::FILE_SETATTR]),
    // `FS_IOC_SETFLAGS`, `FS_IOC_SETVERSION`, `FS_IOC_FSSETXATTR`: the same by descriptor.
    only(
        AttributesOpen,
        &[libc::SYS_ioctl],
        &[&[Is(1, 0x4008_6602)], &[Is(1, 0x4008_7602)], &[Is(1, 0x401c_5820)]],
    ),
    #[cfg(target_arch = "x86_64")]
    any(AttributesOpen, &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown]),
    #[cfg(target_arch = "x86_64")]
    any(AttributesOpen, &[libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat]),
    // Set-user-ID programs: they outlive the session. A mode
    // counts only where a file is made. Folders are made without these bits anyway.
    only(FilesClosed, &[libc::SYS_fchmod], &[&[Has(1, SET_USER)], &[Has(1, SET_GROUP)]]),
    only(
        FilesClosed,
        &[libc::SYS_fchmodat, unnamed::FCHMODAT2, libc::SYS_mknodat],
        &[&[Has(2, SET_USER)], &[Has(2, SET_GROUP)]],
    ),
    only(
        FilesClosed,
        &[libc::SYS_openat],
        &[
            &[Has(2, CREATE), Has(3, SET_USER)],
            &[Has(2, CREATE), Has(3, SET_GROUP)],
            &[Has(2, UNNAMED), Has(3, SET_USER)],
            &[Has(2, UNNAMED), Has(3, SET_GROUP)],
        ],
    ),
    #[cfg(target_arch = "x86_64")]
    only(
        FilesClosed,
        &[libc::SYS_chmod, libc::SYS_creat, libc::SYS_mknod],
        &[&[Has(1, SET_USER)], &[Has(1, SET_GROUP)]],
    ),
    #[cfg(target_arch = "x86_64")]
    only(
        FilesClosed,
        &[libc::SYS_open],
        &[
            &[Has(1, CREATE), Has(2, SET_USER)],
            &[Has(1, CREATE), Has(2, SET_GROUP)],
            &[Has(1, UNNAMED), Has(2, SET_USER)],
            &[Has(1, UNNAMED), Has(2, SET_GROUP)],
        ],
    ),
    // Processes: threads are made like them, and share what these do not. Files without a name are in
    // no list of what can be executed.
    only(ProgramsClosed, &[libc::SYS_clone], &[&[Lacks(0, bits(libc::CLONE_THREAD))]]),
    any(ProgramsClosed, &[libc::SYS_execveat, libc::SYS_memfd_create]),
    #[cfg(target_arch = "x86_64")]
    any(ProgramsClosed, &[libc::SYS_fork, libc::SYS_vfork]),
];

/// Refused as if the kernel did not have them: programs have another way, or do without.
pub(super) const NOT_THERE: &[Refusal] = &[
    // What it makes stands in memory, out of sight of the filter.
    any(Always, &[libc::SYS_clone3]),
    // It would open sockets and files unseen.
    any(Always, &[libc::SYS_io_uring_setup, libc::SYS_io_uring_enter]),
    any(Always, &[libc::SYS_io_uring_register]),
    // The mode of what it makes stands in memory, too.
    any(FilesClosed, &[libc::SYS_openat2]),
    // Names of files in folders that cannot be listed.
    any(Always, &[libc::SYS_fanotify_init, libc::SYS_fanotify_mark]),
    any(FilesClosed, &[libc::SYS_inotify_init1, libc::SYS_inotify_add_watch]),
    #[cfg(target_arch = "x86_64")]
    any(FilesClosed, &[libc::SYS_inotify_init]),
];

/// Refused as if no file had any: programs that copy files take that for an answer.
pub(super) const NOT_SUPPORTED: &[Refusal] = &[
    // Attributes have content, and no file is opened to read it.
    any(FilesClosed, &[libc::SYS_getxattr, libc::SYS_lgetxattr, libc::SYS_fgetxattr]),
    any(FilesClosed, &[libc::SYS_listxattr, libc::SYS_llistxattr, libc::SYS_flistxattr]),
    any(FilesClosed, &[unnamed::GETXATTRAT, unnamed::LISTXATTRAT]),
];
