import type { SandboxStart } from './contained.ts'
import { systemFilesFor } from './system-files.ts'

const MIB = 1024 * 1024
const TEMPORARY_MAX_BYTES = 16 * MIB

/** Where the socket of the proxy is found inside. */
export const PROXY_SOCKET = '/run/tidemark/proxy.sock'

export type View = Pick<SandboxStart, 'cwd' | 'env' | 'kind' | 'readOnly' | 'writable'> & {
  /** Files made for the job itself, such as /etc/passwd: the system's tell of its people. */
  readonly own: readonly { readonly from: string; readonly to: string }[]
  readonly proxySocket: string | null
  /** Descriptors of the seccomp filter, or null, and of where it is told how it goes. */
  readonly filterFd: number | null
  readonly statusFd: number
}

/** Everything that bubblewrap is told, apart from the command. None of it may be seen in the list of processes, so it
 * goes through a descriptor. Later mounts cover earlier ones. */
export function bubblewrapArguments(view: View): string[] {
  return [
    ...APART,
    ...(view.filterFd === null ? [] : ['--seccomp', String(view.filterFd)]),
    ...['--json-status-fd', String(view.statusFd)],
    ...systemView(view),
    ...TEMPORARY,
    ...view.readOnly.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...view.writable.flatMap((path) => ['--bind', path, path]),
    ...(view.proxySocket === null ? [] : ['--bind', view.proxySocket, PROXY_SOCKET]),
    ...['--remount-ro', '/', '--chdir', view.cwd],
    ...Object.entries(view.env).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
}

const APART = [
  ...[
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup',
  ],
  ...['--disable-userns', '--cap-drop', 'ALL', '--new-session', '--die-with-parent', '--hostname', 'job'],
  // Else the first process inside is bubblewrap's own, without the filter, and a job may write into its memory.
  '--as-pid-1',
]

const TEMPORARY = [
  ...['--perms', '1777', '--size', String(TEMPORARY_MAX_BYTES), '--tmpfs', '/tmp'],
  ...['--perms', '1777', '--size', String(TEMPORARY_MAX_BYTES), '--tmpfs', '/dev/shm'],
  ...['--dir', '/var', '--symlink', '/tmp', '/var/tmp', '--dir', '/run'],
]

function systemView({ kind, own }: View): string[] {
  const { files, links } = systemFilesFor(kind)
  return [
    ...files.flatMap((path) => ['--ro-bind', path, path]),
    ...links.flatMap(({ path, to }) => ['--symlink', to, path]),
    ...own.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev'],
  ]
}
