import type { Bind, SandboxStart } from './container.ts'
import { systemFilesFor } from './system-files.ts'

const MIB = 1024 * 1024
const TEMPORARY_MAX_BYTES = 16 * MIB

export type View = Pick<SandboxStart, 'cwd' | 'env' | 'kind' | 'readOnly' | 'writable'> & {
  /** Files for the job itself, such as /etc/passwd. */
  readonly own: readonly Bind[]
  /** Sockets of the proxy and the tunnel. */
  readonly sockets: readonly Bind[]
  /** Descriptors of the seccomp filter, or null, and of the status that bubblewrap writes. */
  readonly filterFd: number | null
  readonly statusFd: number
}

/** The arguments of bubblewrap without the command. The list of processes must not show them, so they are passed through a
 * descriptor. Later mounts cover earlier ones. */
export function bubblewrapArguments(view: View): string[] {
  const { kind, own, readOnly, writable, sockets, filterFd, statusFd, cwd, env } = view
  const { files, links } = systemFilesFor(kind)
  return [
    ...APART,
    ['--json-status-fd', String(statusFd)],
    ...(filterFd === null ? [] : [['--seccomp', String(filterFd)]]),
    ...files.map((path) => ['--ro-bind', path, path]),
    ...links.map(({ path, to }) => ['--symlink', to, path]),
    ...own.map(({ from, to }) => ['--ro-bind', from, to]),
    ...MADE,
    ...inDepth([
      ...readOnly.map(({ from, to }) => ['--ro-bind', from, to] as const),
      ...writable.map((path) => ['--bind', path, path] as const),
    ]),
    ...sockets.map(({ from, to }) => ['--bind', from, to]),
    ['--remount-ro', '/'],
    ['--chdir', cwd],
    ...Object.entries(env).map(([name, value]) => ['--setenv', name, value]),
  ].flat()
}

/** A directory inside another one is mounted after it. */
const inDepth = <Mount extends readonly [string, string, string]>(mounts: readonly Mount[]) =>
  mounts.toSorted((a, b) => a[2].length - b[2].length)

const APART = [
  ['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup'],
  ['--disable-userns', '--cap-drop', 'ALL', '--new-session', '--die-with-parent', '--hostname', 'job'],
  // Otherwise the first process inside is a process of bubblewrap without the filter, into whose memory a job may write.
  ['--as-pid-1'],
]

const temporary = (path: string) => [
  '--perms',
  '1777',
  '--size',
  String(TEMPORARY_MAX_BYTES),
  '--tmpfs',
  path,
]

const MADE = [
  ['--proc', '/proc'],
  ['--dev', '/dev'],
  ['--remount-ro', '/dev'],
  temporary('/dev/shm'),
  temporary('/tmp'),
  // A directory and not a link to /tmp: mounts below it need a directory, and the runner's own directory is there by default.
  temporary('/var/tmp'),
  ['--dir', '/run'],
]
