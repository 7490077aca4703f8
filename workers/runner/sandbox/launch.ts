import { Buffer } from 'node:buffer'
import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { bubblewrapArguments, PROXY_SOCKET } from './bubblewrap.ts'
import type { Bind, Limits, SandboxStart } from './contained.ts'
import { FORWARDER_PORT, insideCommand, proxyVariables } from './inside.ts'
import type { Forwarder } from './inside.ts'
import { filterFor } from './seccomp.ts'
import type { Processor } from './syscalls.ts'
import { systemFilesFor } from './system-files.ts'
import { asUser } from './uids.ts'

/** Given as text, since its file may lie where other users have no way to. */
const ENTER = readFileSync(join(import.meta.dir, 'enter.py'), 'utf8')
const FILE_BLOCK_BYTES = 512

/** Begins as the runner: joins the job's groups, which only the runner may, and gives up what cannot be got back.
 * Arguments: the groups' doors with spaces between, blocks of a file, open files; then what is next. */
const OUTERMOST = `
for door in $1; do echo $$ >"$door" || exit 125; done
ulimit -c 0 && ulimit -f "$2" && ulimit -n "$3" || exit 125
shift 3
exec nice -n 10 "$@"
`

/** How a job is kept apart. */
export type Confinement = {
  readonly namespaces: boolean
  readonly landlock: boolean
  readonly processor: Processor | null
  readonly uid: number | null
  /** Files to join groups by. */
  readonly doors: readonly string[]
}

export type Launch = {
  readonly start: SandboxStart
  readonly limits: Limits
  readonly confinement: Confinement
  readonly own: readonly Bind[]
  /** Where the proxy is, and the port that it is found at where the network is shared with the machine. */
  readonly forwarder: Forwarder | null
  /** A directory for files that are gone as soon as they are open. */
  readonly scratch: string
}

export type Launched = {
  readonly process: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  /** What bubblewrap has said of how it goes. */
  readonly status: () => { readonly firstPid: number | null; readonly hasRun: boolean }
  readonly close: () => void
}

/** Starts a job. Neither the environment nor the command line of any process outside of it tells anything of it. */
export function launch(given: Launch): Launched {
  const held: number[] = []
  const hold = (bytes: string | Uint8Array) => {
    const fd = unnamedFile(given.scratch, bytes)
    held.push(fd)
    return fd
  }
  const status = hold('')
  try {
    const { command, fds } = given.confinement.namespaces ? apart(given, status, hold) : shutIn(given, hold)
    const { doors, uid } = given.confinement
    const user = uid === null ? [] : ['setpriv', ...asUser(uid)]
    const blocks = Math.ceil(given.limits.fileMaxBytes / FILE_BLOCK_BYTES)
    const outermost = ['/bin/sh', '-c', OUTERMOST, 'job', doors.join(' '), String(blocks)]
    const process = Bun.spawn([...outermost, String(given.limits.openFilesMax), ...user, ...command], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', ...fds],
    })
    const read = () => readStatus(readFileSync(`/proc/self/fd/${status}`, 'utf8'))
    return { process, status: read, close: () => closeSync(status) }
  } finally {
    for (const fd of held) if (fd !== status) closeSync(fd)
  }
}

type Hold = (bytes: string | Uint8Array) => number
type Commanded = { readonly command: string[]; readonly fds: number[] }

/** In namespaces of its own, by bubblewrap. Descriptors are numbered from 3 in the child. */
function apart(
  { start, confinement, own, forwarder: outside }: Launch,
  status: number,
  hold: Hold,
): Commanded {
  const { processor } = confinement
  const forwarder = outside && { port: FORWARDER_PORT, socket: PROXY_SOCKET }
  const proxySocket = outside?.socket ?? null
  const env = { ...(forwarder && proxyVariables(forwarder)), ...start.env }
  const view = { ...start, env, own, proxySocket, statusFd: 4, filterFd: processor === null ? null : 5 }
  const filter = processor === null ? [] : [hold(filterFor(processor, 'own'))]
  const told = hold(
    bubblewrapArguments(view)
      .map((word) => `${word}\0`)
      .join(''),
  )
  const command = ['bwrap', '--args', '3', '--', ...insideCommand(start.argv, forwarder)]
  return { command, fds: [told, status, ...filter] }
}

/** On the machine as it is, with what a process can do to itself. */
function shutIn(given: Launch, hold: Hold): Commanded {
  const { start, confinement, forwarder } = given
  const { processor, landlock } = confinement
  const filter =
    processor === null ? null : Buffer.from(filterFor(processor, forwarder === null ? 'none' : 'streams'))
  const job = {
    argv: insideCommand(start.argv, forwarder),
    env: { ...(forwarder && proxyVariables(forwarder)), ...start.env },
    cwd: start.cwd,
    filter: filter?.toString('base64') ?? null,
    landlock: landlock ? pathsFor(given) : null,
  }
  return { command: ['/usr/bin/python3', '-I', '-S', '-c', ENTER], fds: [hold(JSON.stringify(job))] }
}

/** What a job that shares the machine's files may do with them. */
function pathsFor({ start, own, forwarder }: Launch) {
  const { files } = systemFilesFor(start.kind)
  const given = [...start.readOnly, ...own].map(({ from }) => from)
  return {
    read: [...files, '/proc', ...given],
    write: [...DEVICES, ...start.writable],
    port: forwarder?.port ?? null,
  }
}

const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom']

/** A file in memory without a name, open from its beginning. */
function unnamedFile(scratch: string, bytes: string | Uint8Array): number {
  const directory = existsSync(MEMORY) ? MEMORY : scratch
  const path = join(directory, `tidemark-${crypto.randomUUID()}`)
  writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' })
  try {
    return openSync(path, 'r+')
  } finally {
    unlinkSync(path)
  }
}

const MEMORY = '/dev/shm'

/** Bubblewrap writes a line of JSON once there is a first process, and one when that has ended, if it was reached. */
function readStatus(text: string) {
  return {
    firstPid: Number(/"child-pid": (\d+)/.exec(text)?.[1] ?? 0) || null,
    hasRun: text.includes('"exit-code"'),
  }
}
