"""Tries to get out. Prints a line of JSON for each try: its name, whether it got out, and what was seen.

What it aims at is in stage.json, where it starts. A try that got out changes nothing that is not its own, so that
all of them can run unconfined as a control; those that could not, or whose call this kernel may lack, are left out
where that says `control`.
"""

import ctypes
import errno
import json
import os
import resource
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile

STAGE = json.load(open('stage.json'))
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
TRIES = []


def attempt(*needs, only_inside=False):
    """Registers a try, with what of the machine keeps it from getting out."""
    def register(act):
        TRIES.append((act.__name__, act, needs, only_inside))
        return act

    return register


def call(number, *arguments):
    """A system call; returns what it returned, or raises OSError."""
    words = [ctypes.c_void_p(a & (2**64 - 1)) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *words)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


# --- calls: one that is not refused gets as far as its arguments, which are wrong ---------------------------

BAD = 1  # no address
# Has an effect whatever its arguments are, or is lacking in some kernels that have all the others.
ONLY_INSIDE = {'vhangup', 'modify_ldt', 'lookup_dcookie', 'uselib', '_sysctl', 'sysfs', 'ustat', 'kexec_load',
               'kexec_file_load', 'acct', 'quotactl', 'quotactl_fd', 'swapon', 'swapoff', 'init_module',
               'finit_module', 'delete_module', 'io_uring_setup', 'io_uring_enter', 'io_uring_register', 'kcmp',
               'fanotify_init', 'fanotify_mark', 'bpf', 'iopl', 'ioperm', 'process_madvise', 'migrate_pages',
               'move_pages', 'userfaultfd', 'keyctl', 'add_key', 'request_key'}
ARGUMENTS = {'unshare': [0], 'keyctl': [0, -3, 0], 'userfaultfd': [0], 'syslog': [10, 0, 0], 'settimeofday': [0, 0],
             'clock_settime': [99, BAD], 'clock_adjtime': [99, BAD], 'sethostname': [BAD, -1],
             'setdomainname': [BAD, -1], 'ptrace': [16, 2**22 + 1, 0, 0], 'process_vm_readv': [2**22 + 1, BAD, 1, BAD, 1, 0],
             'process_vm_writev': [2**22 + 1, BAD, 1, BAD, 1, 0], 'move_pages': [0, 0, 0, 0, 0, 0]}
REFUSALS = {errno.EPERM, errno.ENOSYS, errno.EACCES}


def refused_call(name, number):
    def act():
        try:
            return call(number, *ARGUMENTS.get(name, [BAD, BAD, BAD, BAD, BAD])) >= 0
        except OSError as error:
            return error.errno not in REFUSALS and errno.errorcode[error.errno]

    return act


for name, number in STAGE['calls'].items():
    TRIES.append((f'call_{name}', refused_call(name, number), ['seccomp'], name in ONLY_INSIDE))


# --- files ------------------------------------------------------------------------------------------------

def reads_canary(path):
    with open(path) as file:
        return STAGE['canary'] in file.read()


@attempt('namespaces')
def file_of_the_machine():
    return reads_canary(STAGE['canaryFile'])


@attempt('namespaces')
def file_by_dot_dot():
    return reads_canary('../' * 20 + STAGE['canaryFile'])


@attempt('namespaces')
def file_by_link():
    os.symlink(STAGE['canaryFile'], 'link')
    try:
        return reads_canary('link')
    finally:
        os.unlink('link')


@attempt('namespaces', only_inside=True)
def file_by_root_of_first_process():
    return reads_canary('/proc/1/root' + STAGE['canaryFile'])


@attempt('namespaces', only_inside=True)
def file_by_root_of_parent():
    return reads_canary(f'/proc/{os.getppid()}/root' + STAGE['canaryFile'])


@attempt('namespaces')
def file_by_root_of_an_old_process():
    return reads_canary(f'/proc/{STAGE["pid"]}/root' + STAGE['canaryFile'])


@attempt('namespaces', only_inside=True)
def file_by_inherited_descriptor():
    for fd in range(3, 1024):
        try:
            opened = os.open('.' + STAGE['canaryFile'], os.O_RDONLY, dir_fd=fd)
        except OSError:
            continue
        return bool(opened)
    return False


@attempt('namespaces', only_inside=True)
def any_inherited_descriptor():
    held = os.listdir('/proc/self/fd')
    return [fd for fd in held if int(fd) > 2 and os.path.exists(f'/proc/self/fd/{fd}')] or False


@attempt('uids')
def listing_of_home():
    return bool(os.listdir('/root') is not None)


@attempt('uids')
def shadow():
    return 'root:' in open('/etc/shadow').read()


@attempt('namespaces')
def users():
    return 'root:' in open('/etc/passwd').read()


@attempt('namespaces')
def other_room():
    return bool(os.listdir(STAGE['otherRoom']))


@attempt('namespaces')
def files_of_the_runner():
    return bool(os.listdir(STAGE['runnerDirectory']))


def writes(path):
    opened = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    os.close(opened)
    os.unlink(path)
    return True


@attempt('uids')
def write_usr():
    return writes('/usr/tidemark-escape')


@attempt('uids')
def write_etc():
    return writes('/etc/tidemark-escape')


@attempt('uids')
def write_root():
    return writes('/tidemark-escape')


@attempt('namespaces')
def write_dev():
    return writes('/dev/tidemark-escape')


@attempt('uids')
def write_home():
    return writes('/root/tidemark-escape')


@attempt('uids')
def write_program():
    os.close(os.open('/usr/bin/su', os.O_WRONLY | os.O_APPEND))
    return True


@attempt('namespaces', only_inside=True)
def write_users():
    os.close(os.open('/etc/passwd', os.O_WRONLY | os.O_APPEND))
    return True


@attempt('namespaces', only_inside=True)
def remount_writable():
    return subprocess.run(['mount', '-o', 'remount,rw', '/usr'], capture_output=True).returncode == 0


@attempt('uids')
def device_node():
    os.mknod('device', stat.S_IFBLK | 0o600, os.makedev(7, 0))
    os.unlink('device')
    return True


@attempt('namespaces')
def disk():
    return any(stat.S_ISBLK(os.stat('/dev/' + name).st_mode) for name in os.listdir('/dev') if name != 'fd')


@attempt('namespaces', only_inside=True)
def memory_of_the_machine():
    return bool(open('/dev/mem', 'rb').read(1) or open('/proc/kcore', 'rb').read(1))


@attempt('uids')
def log_of_the_kernel():
    return os.close(os.open('/dev/kmsg', os.O_RDONLY | os.O_NONBLOCK)) is None


@attempt('uids')
def settings_of_the_kernel():
    os.close(os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY))
    return True


@attempt('uids', only_inside=True)
def commands_to_the_kernel():
    os.close(os.open('/proc/sysrq-trigger', os.O_WRONLY))
    return True


@attempt('namespaces')
def groups_of_processes():
    return any(' - cgroup' in line for line in open('/proc/self/mountinfo'))


@attempt('namespaces')
def kernel_objects():
    return bool(os.listdir('/sys/kernel'))


@attempt('namespaces')
def sockets_of_services():
    return [name for name in os.listdir('/run') if name != 'tidemark'] or False


# --- processes --------------------------------------------------------------------------------------------

@attempt('namespaces')
def process_is_seen():
    return os.path.exists(f'/proc/{STAGE["pid"]}/stat') and STAGE['command'] in open(f'/proc/{STAGE["pid"]}/cmdline').read()


@attempt('uids')
def process_is_signalled():
    os.kill(STAGE['pid'], 0)
    return STAGE['command'] in open(f'/proc/{STAGE["pid"]}/cmdline').read()


@attempt('uids')
def environment_of_others():
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            found.append(open(f'/proc/{pid}/environ').read())
        except OSError:
            pass
    return any(STAGE['secret'] in text for text in found)


@attempt('namespaces')
def command_lines_of_others():
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            found.append(open(f'/proc/{pid}/cmdline').read())
        except OSError:
            pass
    return any(STAGE['command'] in text for text in found)


@attempt('seccomp', only_inside=True)
def memory_of_an_unfiltered_process():
    for pid in filter(str.isdigit, os.listdir('/proc')):
        if 'Seccomp:\t2' in open(f'/proc/{pid}/status').read():
            continue
        os.close(os.open(f'/proc/{pid}/mem', os.O_RDWR))
        return pid
    return False


@attempt('uids')
def higher_priority():
    os.setpriority(os.PRIO_PROCESS, 0, -5)
    return True


@attempt('uids')
def real_time():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return True


@attempt('namespaces')
def shared_memory():
    return libc.shmget(STAGE['sharedMemoryKey'], 0, 0) >= 0


@attempt('namespaces')
def name_of_the_machine():
    return os.uname().nodename == STAGE['hostname']


# --- users and rights -------------------------------------------------------------------------------------

@attempt('uids')
def becoming_root():
    os.setresuid(0, 0, 0)
    return True


@attempt('uids')
def becoming_another():
    child = os.fork()
    if child == 0:
        try:
            os.setresuid(STAGE['otherUid'], STAGE['otherUid'], STAGE['otherUid'])
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


@attempt('uids')
def other_groups():
    os.setgroups([0])
    return True


@attempt('uids')
def programs_of_root():
    found = subprocess.run(['/usr/bin/su', '--help'], capture_output=True)
    effective = subprocess.run(['/bin/sh', '-c', 'test "$(id -u)" = 0'], capture_output=True)
    return found.returncode == 0 and effective.returncode == 0


@attempt('uids')
def capabilities():
    text = open('/proc/self/status').read()
    return any(int(line.split()[1], 16) for line in text.splitlines() if line.startswith(('CapEff', 'CapPrm', 'CapBnd')))


@attempt('uids', only_inside=True)
def new_privileges():
    return 'NoNewPrivs:\t0' in open('/proc/self/status').read()


def clones(flags):
    """Clones by the call itself: 56 and 220 are the numbers of x86-64 and of arm64."""
    number = STAGE['watched']['clone']
    child = call(number, flags | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


@attempt('seccomp')
def user_namespace():
    return clones(0x10000000)


@attempt('seccomp')
def mount_namespace():
    return clones(0x00020000)


@attempt('seccomp')
def network_namespace():
    return clones(0x40000000)


@attempt('namespaces', only_inside=True)
def user_namespace_by_program():
    return subprocess.run(['unshare', '--user', '--map-root-user', 'true'], capture_output=True).returncode == 0


@attempt('namespaces', only_inside=True)
def sandbox_within():
    return subprocess.run(['bwrap', '--ro-bind', '/', '/', 'true'], capture_output=True).returncode == 0


@attempt('namespaces', only_inside=True)
def namespace_of_the_first_process():
    opened = os.open('/proc/1/ns/net', os.O_RDONLY)
    return call(STAGE['calls']['setns'], opened, 0) == 0


@attempt('seccomp', only_inside=True)
def calls_of_another_processor():
    if os.uname().machine != 'x86_64':
        return False
    child = os.fork()
    if child == 0:
        libc.syscall(ctypes.c_long(0x40000000 + 39))
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


@attempt('seccomp', only_inside=True)
def words_for_a_terminal():
    leader, follower = os.openpty()
    import fcntl
    fcntl.ioctl(follower, 0x5412, b'x')
    return True


# --- network ----------------------------------------------------------------------------------------------

def greets(connected):
    connected.settimeout(3)
    return STAGE['greeting'] in connected.recv(100).decode()


@attempt('namespaces')
def port_of_the_machine():
    return greets(socket.create_connection(('127.0.0.1', STAGE['port']), 3))


@attempt('namespaces')
def port_by_ipv6():
    return greets(socket.create_connection(('::1', STAGE['port6']), 3))


@attempt('namespaces')
def port_by_address():
    return greets(socket.create_connection((STAGE['address'], STAGE['port']), 3))


@attempt('namespaces')
def datagram():
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.connect((STAGE['address'], 9))
    return sender.send(b'x') == 1


@attempt('namespaces', only_inside=True)
def the_internet():
    return socket.create_connection(('1.1.1.1', 443), 3) is not None


@attempt('namespaces', only_inside=True)
def a_name():
    return bool(socket.getaddrinfo('example.com', 443))


@attempt('namespaces')
def abstract_socket():
    client = socket.socket(socket.AF_UNIX)
    client.connect('\0' + STAGE['abstract'])
    return True


@attempt('namespaces')
def socket_in_the_files():
    client = socket.socket(socket.AF_UNIX)
    client.connect(STAGE['socketFile'])
    return True


@attempt('uids')
def raw_socket():
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) is not None


@attempt('uids')
def packet_socket():
    return socket.socket(17, socket.SOCK_RAW, 0) is not None


@attempt('seccomp', only_inside=True)
def socket_to_the_hypervisor():
    return socket.socket(40, socket.SOCK_STREAM, 0) is not None


@attempt('seccomp', only_inside=True)
def socket_of_the_kernels_cryptography():
    return socket.socket(38, socket.SOCK_SEQPACKET, 0) is not None


@attempt('namespaces')
def other_interfaces():
    return any(name != 'lo' for _, name in socket.if_nameindex())


def tunnel(target):
    client = socket.create_connection(('127.0.0.1', 3128), 3)
    client.settimeout(5)
    client.sendall(f'CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n'.encode())
    answer = client.recv(100).decode()
    return ' 200 ' in answer and answer


for title, target in {
    'loopback': f'127.0.0.1:{STAGE["port"]}',
    'localhost': f'localhost:{STAGE["port"]}',
    'another_loopback': f'127.1.2.3:{STAGE["port"]}',
    'loopback_as_a_number': f'2130706433:{STAGE["port"]}',
    'loopback_in_hexadecimal': f'0x7f.1:{STAGE["port"]}',
    'loopback_by_ipv6': f'[::1]:{STAGE["port6"]}',
    'loopback_mapped': f'[::ffff:127.0.0.1]:{STAGE["port"]}',
    'unspecified': f'0.0.0.0:{STAGE["port"]}',
    'own_address': f'{STAGE["address"]}:{STAGE["port"]}',
    'metadata': '169.254.169.254:80',
    'unnamed_target': 'example.com:443',
}.items():
    TRIES.append((f'proxy_{title}', lambda target=target: tunnel(target), ['namespaces'], True))


# --- bounds -----------------------------------------------------------------------------------------------

def fills(directory, size):
    """Writes so many bytes in files of 1 MiB."""
    block, names = b'x' * 2**20, []
    try:
        for index in range(size // len(block)):
            names.append(os.path.join(directory, f'fill-{index}'))
            with open(names[-1], 'wb') as file:
                file.write(block)
        return True
    finally:
        for name in names:
            if os.path.exists(name):
                os.unlink(name)


@attempt('rooms')
def more_in_the_room():
    return fills('.', STAGE['roomBytes'] + 2**20)


@attempt('namespaces', only_inside=True)
def more_in_tmp():
    return fills('/tmp', 17 * 2**20)


@attempt('namespaces', only_inside=True)
def more_in_shm():
    return fills('/dev/shm', 17 * 2**20)


@attempt()
def one_large_file():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with tempfile.TemporaryFile() as file:
        os.ftruncate(file.fileno(), STAGE['fileBytes'] + 1)
        return True


@attempt('cgroups')
def many_processes():
    children = []
    try:
        for _ in range(STAGE['pids'] + 1):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
        return True
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


@attempt('cgroups')
def much_memory():
    child = os.fork()
    if child == 0:
        held = bytearray(STAGE['memoryBytes'] + 2**20)
        os._exit(0 if held else 1)
    return os.waitpid(child, 0)[1] == 0


@attempt()
def many_open_files():
    opened = []
    try:
        for _ in range(STAGE['openFiles'] + 1):
            opened.append(os.open('/dev/null', os.O_RDONLY))
        return True
    finally:
        for fd in opened:
            os.close(fd)


@attempt('uids', only_inside=True)
def higher_bounds():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard + 1))
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return True


@attempt('uids', only_inside=True)
def core_dumps():
    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
    return True


def tell(name, needs, out, seen):
    print(json.dumps({'name': name, 'needs': needs, 'out': out, 'seen': seen[:200]}), flush=True)


def main():
    for name, act, needs, only_inside in TRIES:
        if STAGE['control'] and only_inside:
            continue
        try:
            seen = act()
        except BaseException as error:
            tell(name, needs, False, repr(error))
        else:
            tell(name, needs, bool(seen), str(seen))


main()
