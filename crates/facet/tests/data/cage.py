"""An MCP server that tries to leave its sandbox in many ways: python3 cage.py

One tool, `tries`, answers with an object: the name of each try, and how it ended. A kernel that finds
fault with the arguments of a call has let the call through, so that counts as reached.
"""

import ctypes
import errno
import fcntl
import json
import os
import shutil
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
# What would leave what can be written hears that it lies on another file system, and who asks for attributes
# that there are none.
REFUSALS = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EROFS, errno.EXDEV, errno.ENOTSUP}
NO_FILE = b"/proc/self/nonexistent/file"


def call(number, *arguments):
    """A system call of x86-64 by its number."""
    words = [a if isinstance(a, (bytes, ctypes.Array)) else ctypes.c_long(a) for a in arguments]
    result = LIBC.syscall(ctypes.c_long(number), *words)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def raw(number, *arguments):
    return lambda asked: call(number, *arguments)


def attempt(work, asked):
    try:
        work(asked)
        return "reached"
    except OSError as error:
        is_refused = error.errno in REFUSALS
        return ("refused: " if is_refused else "reached: ") + os.strerror(error.errno or 0)
    except Exception as error:
        return f"broken: {error!r}"


def parent_of(pid):
    with open(f"/proc/{pid}/stat") as line:
        return int(line.read().rsplit(") ", 1)[1].split(" ")[1])


SUPERVISOR = os.getppid()
try:
    FACET = parent_of(SUPERVISOR)
except PermissionError:
    # Where programs are closed, other processes are out of sight; the supervisor is outside like facet.
    FACET = SUPERVISOR


def by_descriptor(change):
    """Changes a file by a descriptor that may only read: this script."""

    def work(asked):
        descriptor = os.open(__file__, os.O_RDONLY)
        try:
            change(descriptor)
        finally:
            os.close(descriptor)

    return work


def follow_link(asked):
    link = tempfile.mktemp()
    os.symlink(asked["victim"], link)
    open(link).read()


def abstract_socket(asked):
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect("\0" + asked["abstract"])


def send_descriptor_by_datagram(asked):
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with one, other:
        one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", 0))], 0, asked["datagram"])


def open_to_write(path):
    """Without a word: where it is not refused, nothing changes."""
    return lambda asked: os.close(os.open(path.format(facet=FACET), os.O_WRONLY))


def make_device(asked):
    path = tempfile.mktemp()
    os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 1))
    os.unlink(path)


def read_from(path):
    return lambda asked: os.read(os.open(path.format(facet=FACET), os.O_RDONLY), 16)


def watch(asked):
    descriptor = call(294, 0)  # inotify_init1
    call(254, descriptor, asked["outside"].encode(), 0x100)  # inotify_add_watch, IN_CREATE


def watch_all(asked):
    call(300, 0x200, 0)  # fanotify_init, FAN_REPORT_FID


def inherited(asked):
    """Descriptors beyond the three standard ones."""
    listed = os.listdir("/proc/self/fd")
    # That of the listing itself is closed by now.
    if not [fd for fd in listed if int(fd) > 2 and os.path.lexists(f"/proc/self/fd/{fd}")]:
        raise OSError(errno.EPERM, "none")


def capability_of_files(asked):
    header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    LIBC.capget(header, sets)
    if sets[0] & 0b11001 == 0:  # CHOWN, FOWNER, FSETID
        raise OSError(errno.EPERM, "none")


PRIORITY = struct.pack("i", 0)
HANDLE = struct.pack("Ii", 8, 1) + bytes(8)

# Closed to whoever is kept from anything.
ALWAYS = {
    # First: later tries leave some of their own.
    "inherited descriptors": inherited,
    "System V memory": raw(29, 0x0FACE7, 4096, 0o1666),
    "System V memory, attached": raw(30, 0, 0, 0),
    "System V memory, controlled": raw(31, 0, 2, 0),
    "System V queue": raw(68, 0x0FACE7, 0o1666),
    "System V queue, sent": raw(69, 0, b"\1" + bytes(16), 1, 0),
    "System V semaphore": raw(64, 0x0FACE7, 1, 0o1666),
    "POSIX queue": raw(240, b"facet-cage", 0o102, 0o600, 0),
    "POSIX queue, removed": raw(241, b"facet-cage"),
    "clone into a user namespace": raw(56, 0x10000011, 0, 0, 0, 0),
    "clone into a mount namespace": raw(56, 0x00020011, 0, 0, 0, 0),
    "clone3": raw(435, bytes(88), 88),
    "setns": lambda asked: call(308, call(434, FACET, 0), 0x00020000),
    "mount": raw(165, b"none", NO_FILE, b"tmpfs", 0, 0),
    "umount": raw(166, NO_FILE, 0),
    "pivot_root": raw(155, NO_FILE, NO_FILE),
    "chroot": raw(161, NO_FILE),
    "fsopen": raw(430, b"tmpfs", 0),
    "open_tree": raw(428, -100, b"/", 0),
    "move_mount": raw(429, -1, b"", -1, b"", 0),
    "mount_setattr": raw(442, -1, b"", 0, 0, 0),
    "name_to_handle_at": raw(303, -100, b"/etc/passwd", HANDLE + bytes(128), bytes(8), 0),
    "open_by_handle_at": raw(304, -100, HANDLE, 0),
    "priority of facet": lambda asked: os.setpriority(os.PRIO_PROCESS, FACET, 1),
    "priority of a group": lambda asked: os.setpriority(os.PRIO_PGRP, 0, 1),
    # Nobody is this user: nothing changes where it is not refused.
    "priority of a user": lambda asked: os.setpriority(os.PRIO_USER, 0xFFFFFF0, 1),
    "scheduler of facet": lambda asked: call(144, FACET, 3, PRIORITY),
    "scheduler attributes of facet": lambda asked: call(314, FACET, bytes(48), 0),
    "scheduler parameters of facet": lambda asked: call(142, FACET, PRIORITY),
    "processors of facet": lambda asked: os.sched_setaffinity(FACET, os.sched_getaffinity(0)),
    "processors of the supervisor": lambda asked: os.sched_setaffinity(SUPERVISOR, {0}),
    "disk priority of facet": lambda asked: call(251, 1, FACET, (3 << 13)),
    "limits of facet": lambda asked: call(302, FACET, 7, 0, bytes(16)),
    "signal to facet": lambda asked: os.kill(FACET, 0),
    "signal to the supervisor": lambda asked: os.kill(SUPERVISOR, 0),
    "signal to a thread of facet": lambda asked: call(234, FACET, FACET, 0),
    "queued signal to facet": lambda asked: call(129, FACET, 0, bytes(128)),
    "signal to a descriptor of facet": lambda asked: call(424, call(434, FACET, 0), 0, 0, 0),
    "ptrace": lambda asked: call(101, 0x4206, FACET, 0, 0),
    "memory of facet, read": lambda asked: call(310, FACET, 0, 0, 0, 0, 0),
    "memory of facet, written": lambda asked: call(311, FACET, 0, 0, 0, 0, 0),
    "memory of facet, as a file": read_from("/proc/{facet}/mem"),
    "variables of facet": read_from("/proc/{facet}/environ"),
    "root of facet": lambda asked: os.listdir(os.path.join(f"/proc/{FACET}/root", "etc")),
    "file behind a descriptor of facet": lambda asked: os.readlink(f"/proc/{FACET}/fd/0"),
    "directory of facet": lambda asked: os.listdir(f"/proc/{FACET}/cwd/"),
    "descriptor of facet": lambda asked: call(438, call(434, FACET, 0), 0, 0),
    "kcmp": lambda asked: call(312, FACET, FACET, 1, 0, 0),
    "process_madvise": lambda asked: call(440, call(434, FACET, 0), 0, 0, 21, 0),
    "pages of facet": lambda asked: call(256, FACET, 0, 0, 0),
    "pages of facet, moved": lambda asked: call(279, FACET, 0, 0, 0, 0, 0),
    "keys of the user": raw(248, b"user", b"facet-cage", b"x", 1, -4),
    "keyring": raw(250, 0, -4, 0, 0, 0),
    "typed into a terminal": lambda asked: fcntl.ioctl(0, 0x5412, b"x"),
    "pasted into a terminal": lambda asked: fcntl.ioctl(0, 0x541C, b"\3"),
    "io_uring": raw(425, 4, bytes(120)),
    "fanotify": watch_all,
    "bpf": raw(321, 0, 0, 0),
    "perf_event_open": raw(298, 0, 0, -1, -1, 0),
    "userfaultfd": raw(323, 1),
    "memfd_secret": raw(447, 0),
    "personality": raw(135, 0x0040000),
    "kernel log": raw(103, 10, 0, 0),
    "module": raw(175, 0, 0, 0),
    "module by descriptor": raw(313, -1, 0, 0),
    "module removed": raw(176, b"facet-cage", 0),
    "another kernel": raw(246, 0, 1 << 20, 0, 0),
    "reboot": raw(169, 0, 0, 0, 0),
    "swap": raw(167, NO_FILE, 0),
    "swap off": raw(168, NO_FILE),
    "accounts": raw(163, NO_FILE),
    "quota": raw(179, 0, 0, 0, 0),
    "clock": raw(227, 99, 0),
    "clock, tuned": raw(159, 0),
    "time of day": raw(164, 8, 8),
    "host name": raw(170, 0, 4096),
    "domain name": raw(171, 0, 4096),
    "ports of the machine": raw(172, 99),
    "segments": raw(154, 17, 0, 0),
    "call of the future": raw(700),
    "device made": make_device,
    "packets of the network": lambda asked: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
    "root of the first process": lambda asked: os.listdir(os.path.join("/proc/1/root", "etc")),
    "network of the first process": lambda asked: os.readlink("/proc/1/ns/net"),
    # Last: where they are not refused, the rest would happen in another world.
    "user namespace": raw(272, 0x10000000),
    "mount namespace": raw(272, 0x00020000),
}

def make_set_user(make):
    """Makes a file of its own, as a program that runs as its maker."""

    def work(asked):
        folder = tempfile.mkdtemp()
        path = folder + "/program"
        try:
            make(path)
            with_bits = [name for name in os.listdir(folder) if os.stat(f"{folder}/{name}").st_mode & 0o6000]
            if not with_bits:
                raise RuntimeError("made without the bits")
        finally:
            shutil.rmtree(folder)

    return work


def make_and(change):
    def make(path):
        with open(path, "w") as file:
            change(path, file.fileno())

    return make_set_user(make)


def make_unnamed(path):
    descriptor = os.open(os.path.dirname(path), os.O_TMPFILE | os.O_WRONLY, 0o4755)
    call(265, -100, f"/proc/self/fd/{descriptor}".encode(), -100, path.encode(), 0x400)  # linkat


# Closed where files are, also in folders of its own.
SET_USER = {
    "chmod": make_and(lambda path, fd: call(90, path.encode(), 0o4755)),
    "chmod, group": make_and(lambda path, fd: call(90, path.encode(), 0o2755)),
    "fchmod": make_and(lambda path, fd: call(91, fd, 0o4755)),
    "fchmodat": make_and(lambda path, fd: call(268, -100, path.encode(), 0o6755)),
    "fchmodat2": make_and(lambda path, fd: call(452, -100, path.encode(), 0o4755, 0)),
    "open": make_set_user(lambda path: call(2, path.encode(), os.O_CREAT | os.O_WRONLY, 0o4755)),
    "openat": make_set_user(lambda path: call(257, -100, path.encode(), os.O_CREAT | os.O_WRONLY, 0o2755)),
    "openat2": make_set_user(
        lambda path: call(437, -100, path.encode(), struct.pack("QQQ", os.O_CREAT | os.O_WRONLY, 0o4755, 0), 24)
    ),
    "file without a name": make_set_user(make_unnamed),
    "creat": make_set_user(lambda path: call(85, path.encode(), 0o4755)),
    "mknod": make_set_user(lambda path: call(133, path.encode(), stat.S_IFREG | 0o4755, 0)),
    "mknodat": make_set_user(lambda path: call(259, -100, path.encode(), stat.S_IFREG | 0o4755, 0)),
}

# Closed where files are.
FILES = {
    "mode": lambda asked: os.chmod(asked["victim"], 0o777),
    "mode by descriptor": by_descriptor(lambda fd: os.fchmod(fd, 0o777)),
    "mode by descriptor, newer": by_descriptor(lambda fd: call(452, fd, b"", 0o777, 0x1000)),
    "owner": lambda asked: os.chown(asked["victim"], os.getuid(), os.getgid()),
    "owner by descriptor": by_descriptor(lambda fd: os.fchown(fd, os.getuid(), os.getgid())),
    "owner of a link": lambda asked: os.lchown(asked["victim"], os.getuid(), os.getgid()),
    "times": lambda asked: os.utime(asked["victim"], (1, 1)),
    "times by descriptor": by_descriptor(lambda fd: os.utime(fd, (1, 1))),
    "attribute": lambda asked: os.setxattr(asked["victim"], "user.cage", b"x"),
    "attribute by descriptor": by_descriptor(lambda fd: os.setxattr(fd, "user.cage", b"x")),
    "attribute removed": lambda asked: os.removexattr(asked["victim"], "user.cage"),
    "attribute, newer call": lambda asked: call(463, -100, asked["victim"].encode(), 0, b"user.cage", bytes(16), 16),
    "attribute read": lambda asked: os.getxattr(asked["victim"], "user.token"),
    "attribute read of a link": lambda asked: os.getxattr(asked["victim"], "user.token", follow_symlinks=False),
    "attribute read, newer call": lambda asked: call(464, -100, asked["victim"].encode(), 0, b"user.token", bytes(16), 16),
    "attributes listed": lambda asked: os.listxattr(asked["victim"]),
    "attributes listed by descriptor": by_descriptor(lambda fd: os.listxattr(fd)),
    "flags by descriptor": by_descriptor(lambda fd: fcntl.ioctl(fd, 0x40086602, struct.pack("l", 0x80))),
    "mode of a folder": lambda asked: os.chmod(asked["outside"], 0o777),
    "mode through the root of this process": lambda asked: os.chmod("/proc/self/root" + asked["victim"], 0o777),
    "read": lambda asked: open(asked["victim"]).read(),
    "read through the root of this process": lambda asked: open("/proc/self/root" + asked["victim"]).read(),
    "read through a link": follow_link,
    "written": lambda asked: open(asked["victim"], "a"),
    "cut": lambda asked: os.truncate(asked["victim"], 0),
    "made": lambda asked: open(asked["outside"] + "/made", "w"),
    "folder made": lambda asked: os.mkdir(asked["outside"] + "/made"),
    "linked": lambda asked: os.link(asked["victim"], tempfile.mktemp()),
    "renamed": lambda asked: os.rename(asked["victim"], tempfile.mktemp()),
    "removed": lambda asked: os.unlink(asked["victim"]),
    "listed": lambda asked: os.listdir(asked["outside"]),
    "watched": watch,
    "shared memory by name": lambda asked: open("/dev/shm/facet-cage", "w"),
    "socket by name": lambda asked: socket.socket(socket.AF_UNIX).connect(asked["socket"]),
    "socket of the abstract kind": abstract_socket,
    "descriptor sent": send_descriptor_by_datagram,
    "passwords": read_from("/etc/shadow"),
    "settings of the kernel": open_to_write("/proc/sys/kernel/core_pattern"),
    "memory pressure of facet": open_to_write("/proc/{facet}/oom_score_adj"),
    "name of the machine": open_to_write("/proc/sys/kernel/hostname"),
    "memory pressure of its own": open_to_write("/proc/self/oom_score_adj"),
    "terminals": lambda asked: os.close(os.open("/dev/ptmx", os.O_RDWR)),
    "capability over files": capability_of_files,
}

# Closed where programs are.
PROGRAMS = {
    "fork": raw(57),
    "vfork": raw(58),
    "clone": raw(56, 17, 0, 0, 0, 0),
    "execveat": raw(322, -1, b"", 0, 0, 0x1000),
    "memfd": raw(319, b"x", 0),
    "spawn": lambda asked: subprocess.run(["/bin/true"], check=True),
}


# Closed where files and programs are.
PROCESSES = {
    "command line of facet": read_from("/proc/{facet}/cmdline"),
    "command line of the first process": read_from("/proc/1/cmdline"),
    "state of facet": read_from("/proc/{facet}/status"),
    "list of processes": lambda asked: os.listdir("/proc"),
}

# Open there all the same.
OWN_PROCESS = {
    "own command line": read_from("/proc/self/cmdline"),
    "own state by number": lambda asked: open(f"/proc/{os.getpid()}/status").read(),
    "own thread": read_from("/proc/thread-self/stat"),
    "own descriptors": lambda asked: os.listdir("/proc/self/fd"),
    "mounts": read_from("/proc/mounts"),
    "processors": read_from("/proc/cpuinfo"),
    "memory": read_from("/proc/meminfo"),
    "settings of the kernel": read_from("/proc/sys/kernel/ostype"),
}


def copy_with_mode(asked):
    folder = tempfile.mkdtemp()
    shutil.copy2(__file__, folder + "/a")
    os.chmod(folder + "/a", 0o700)
    os.utime(folder + "/a", (1, 1))
    os.makedirs(folder + "/b")
    os.rename(folder + "/a", folder + "/b/a")
    shutil.rmtree(folder)


def run_thread(asked):
    ran = []
    thread = threading.Thread(target=lambda: ran.append(1))
    thread.start()
    thread.join()
    if not ran:
        raise OSError(errno.EPERM, "no thread")


# What every program needs.
NEEDED = {
    "thread": run_thread,
    "own priority": lambda asked: os.setpriority(os.PRIO_PROCESS, 0, 1),
    "own processors": lambda asked: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    "signal to itself": lambda asked: os.kill(os.getpid(), 0),
    "own limits": raw(302, 0, 7, 0, bytes(16)),
    "scratch": copy_with_mode,
    "pair of sockets": lambda asked: socket.socketpair(),
    "users": lambda asked: open("/etc/passwd").read(),
    # Without a file to make, what stands in the place of its mode means nothing.
    "open with a mode": raw(257, -100, b"/etc/passwd", os.O_RDONLY, 0o6777),
}


def make_renames(asked):
    """Moves a file from one folder to another, both outside."""
    for name in ("one", "other"):
        os.makedirs(f"{asked['outside']}/{name}", exist_ok=True)
    open(asked["outside"] + "/one/file", "w").close()
    os.rename(asked["outside"] + "/one/file", asked["outside"] + "/other/file")


KINDS = {"always": ALWAYS, "files": FILES, "programs": PROGRAMS, "needed": NEEDED}
KINDS["set user"] = SET_USER
KINDS["processes"] = PROCESSES
KINDS["own process"] = OWN_PROCESS
KINDS["moves"] = {"moved between folders": make_renames}


def tries(asked):
    # A child of a call that was not refused ends at once.
    found = {}
    for kind in asked["kinds"]:
        for name, work in KINDS[kind].items():
            own = os.getpid()
            found[name] = attempt(work, asked)
            if os.getpid() != own:
                os._exit(0)
    return found


def answer(method, params):
    if method == "initialize":
        info = {"name": "cage", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [{"name": "tries", "description": "Tries.", "inputSchema": {"type": "object"}}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": json.dumps(tries(params["arguments"]))}]}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = answer(message["method"], message.get("params"))
    reply = {"result": result} if result else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
