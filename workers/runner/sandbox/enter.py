"""Shuts this process in as far as a process can do so by itself, then becomes the job.

Reads JSON from file descriptor 3: argv, env, cwd; filter: a seccomp filter in base64; landlock: null, or the paths to
read and to write, and the TCP ports that may be connected to.
"""

import base64
import ctypes
import json
import os
import stat
import struct
import sys

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 1, 38, 22
SECCOMP_MODE_FILTER = 2
SIGKILL = 9
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
RULE_PATH, RULE_PORT = 1, 2
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL = 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL
CONNECT_TCP = 2
# The rights that each version of Landlock handles: files, TCP (bind, connect), scopes (sockets, signals).
FILES_SINCE = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def done(result, what):
    if result < 0:
        error = ctypes.get_errno()
        sys.exit(f'{what}: {os.strerror(error)}')
    return result


def shut_in(read, write, ports):
    version = done(libc.syscall(LANDLOCK_CREATE_RULESET, None, 0, 1), 'landlock')
    files = FILES_SINCE[min(version, 5)]
    tcp = 3 if version >= 4 else 0
    outside = 3 if version >= 6 else 0
    attributes = struct.pack('QQQ', files, tcp, outside)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = done(libc.syscall(LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0), 'landlock')
    for path in read:
        allow(rules, path, (EXECUTE | READ_FILE | READ_DIR) & files)
    for path in write:
        allow(rules, path, files)
    for port in ports if tcp else []:
        rule = struct.pack('QQ', CONNECT_TCP, port)
        done(libc.syscall(LANDLOCK_ADD_RULE, rules, RULE_PORT, rule, 0), 'landlock port')
    done(libc.syscall(LANDLOCK_RESTRICT_SELF, rules, 0), 'landlock')
    os.close(rules)


def allow(rules, path, rights):
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(os.fstat(opened).st_mode):
        rights &= OF_FILES
    rule = struct.pack('=Qi', rights, opened)
    done(libc.syscall(LANDLOCK_ADD_RULE, rules, RULE_PATH, rule, 0), f'landlock {path}')
    os.close(opened)


def filter_calls(program):
    held = ctypes.create_string_buffer(program, len(program))
    described = struct.pack('HxxxxxxQ', len(program) // 8, ctypes.addressof(held))
    done(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, described, 0, 0), 'seccomp')


def main():
    with open(3, 'rb') as given:
        job = json.load(given)
    done(libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), 'prctl')
    done(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 'prctl')
    os.chdir(job['cwd'])
    if job['landlock'] is not None:
        shut_in(**job['landlock'])
    if job['filter'] is not None:
        filter_calls(base64.b64decode(job['filter']))
    os.execve(job['argv'][0], job['argv'], job['env'])


main()
