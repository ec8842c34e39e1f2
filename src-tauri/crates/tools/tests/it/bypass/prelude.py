import array, ctypes, errno, fcntl, logging, mmap, os, pathlib, shelve, shutil, signal, socket, sqlite3, stat, struct, subprocess, sys, tarfile, tempfile, termios, threading, time, zipfile

env = os.environ
T, O, TCP, UDP, PID = env['T'], env['O'], int(env['TCP']), int(env['UDP']), int(env['PID'])
AT = -100
libc = ctypes.CDLL(None, use_errno=True)
arm = os.uname().machine == 'aarch64'
# Numbers by machine where they differ, else those that all have.
renameat2, memfd, fchmodat2, setxattrat, removexattrat = (276, 279, 452, 463, 466) if arm else (316, 319, 452, 463, 466)
ptrace, vm_readv, vm_writev, kcmp, keyctl, add_key, request_key = (117, 270, 271, 272, 219, 217, 218) if arm else (101, 310, 311, 312, 250, 248, 249)
bpf, perf, userfault, fanotify, mount, umount, pivot_root, chroot, unshare, setns = (280, 241, 282, 262, 40, 39, 41, 51, 97, 268) if arm else (321, 298, 323, 300, 165, 166, 155, 161, 272, 308)
handle_at, open_handle, swapon, acct, quotactl, syslog = (264, 265, 224, 89, 60, 116) if arm else (303, 304, 167, 163, 179, 103)
sethostname, settimeofday, shmget, msgget, semget, mq_open = (161, 170, 194, 186, 190, 180) if arm else (170, 164, 29, 68, 64, 240)
linkat = 37 if arm else 265
ioprio_set, setpriority, sched_setaffinity, prlimit, tgkill = (30, 140, 122, 261, 131) if arm else (251, 141, 203, 302, 234)
reach_socket, clone, clone3, pidfd_open, pidfd_send, pidfd_getfd, ring = (198, 220, 435, 434, 424, 438, 425) if arm else (41, 56, 435, 434, 424, 438, 425)

def call(number, *words):
    "Makes a system call; gives its result or raises what the kernel said."
    ctypes.set_errno(0)
    given = [word if isinstance(word, bytes) or word is None else ctypes.c_long(word) for word in words]
    result = libc.syscall(ctypes.c_long(number), *given)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def made(family, kind):
    "Whether a socket of this sort can be made."
    try:
        return call(reach_socket, family, kind, 0) >= 0
    except OSError:
        return False

def struct_of(value):
    "A pointer to struct xattr_args for this value."
    global kept
    data = ctypes.create_string_buffer(value)
    kept = (data, ctypes.create_string_buffer(struct.pack('QII', ctypes.addressof(data), len(value), 0)))
    return ctypes.addressof(kept[1])

def address(mapping):
    "Where a read-only mapping begins."
    for line in open('/proc/self/maps'):
        if line.rstrip().endswith('a.txt'):
            return int(line.split('-')[0], 16)
    raise OSError('not mapped')

def machine_code(code):
    "Calls these bytes as a function that gives a number."
    area = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    area.write(code)
    global area_kept
    area_kept = area
    begin = ctypes.addressof(ctypes.c_char.from_buffer(area))
    return ctypes.CFUNCTYPE(ctypes.c_long)(begin)()

def escaped(*_):
    print('ESC' + 'APED')
