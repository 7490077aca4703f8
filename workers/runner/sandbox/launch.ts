import { Buffer } from 'node:buffer'
import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'

import { bubblewrapArguments, PROXY_SOCKET } from './bubblewrap.ts'
import type { Bind, Limits, SandboxStart } from './contained.ts'
import type { Way } from '../proxy.ts'
import { FORWARDED, insideCommand, proxyVariables } from './inside.ts'
import type { Pipes } from './pipes.ts'
import { filterFor } from './seccomp.ts'
import type { Processor } from './syscalls.ts'
import { systemFilesFor } from './system-files.ts'
import { asUser } from './uids.ts'

/** Given as text, since its file may lie where other users have no way to. */
const ENTER = readFileSync(join(import.meta.dir, 'enter.py'), 'utf8')
const FILE_BLOCK_BYTES = 512
/** Jobs give way to what tells the service that they are alive. */
const NICENESS = 10

/** Begins as the runner: joins the job's groups, which only the runner may, and gives up what cannot be got back.
 * Arguments: the groups' doors with spaces between, blocks of a file, open files; then what is next. */
const OUTERMOST = `
for door in $1; do echo $$ >"$door" || exit 125; done
ulimit -c 0 && ulimit -f "$2" && ulimit -n "$3" || exit 125
shift 3
exec "$@"
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
  /** How the proxy is reached. */
  readonly way: Way | null
  readonly pipes: Pipes
  /** A directory for files that are gone as soon as they are open. */
  readonly scratch: string
}

export type Launched = {
  readonly process: Bun.Subprocess
  readonly pipes: Pipes
  /** What bubblewrap has said of how it goes. */
  readonly status: () => { readonly firstPid: number | null; readonly hasRun: boolean }
  readonly close: () => void
}

/** Starts a job. Of what is around it neither an environment nor a command line tells what its environment is. */
export function launch(given: Launch): Launched {
  const { pipes } = given
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
      stdio: ['ignore', pipes.stdout.writeFd, pipes.stderr.writeFd, ...fds],
    })
    // Before it has started anything that would not take part in it.
    setPriority(process.pid, NICENESS)
    const read = () => readStatus(readFileSync(`/proc/self/fd/${status}`, 'utf8'))
    const close = () => {
      closeSync(status)
      for (const pipe of [pipes.stdout, pipes.stderr]) pipe.close()
    }
    return { process, pipes, status: read, close }
  } finally {
    for (const fd of held) if (fd !== status) closeSync(fd)
    for (const { writeFd } of [pipes.stdout, pipes.stderr]) closeSync(writeFd)
  }
}

type Hold = (bytes: string | Uint8Array) => number
type Commanded = { readonly command: string[]; readonly fds: number[] }

/** In namespaces of its own, by bubblewrap. Descriptors are numbered from 3 in the child. */
function apart({ start, confinement, own, way }: Launch, status: number, hold: Hold): Commanded {
  const { processor } = confinement
  const socket = way?.kind === 'socket' ? way.path : null
  const env = { ...(socket === null ? {} : FORWARDED), ...start.env }
  const filterFd = processor === null ? null : 5
  const view = { ...start, env, own, proxySocket: socket, statusFd: 4, filterFd }
  const filter = processor === null ? [] : [hold(filterFor(processor, 'own'))]
  const words = bubblewrapArguments(view).map((word) => `${word}\0`)
  const inside = insideCommand(start.argv, socket === null ? null : PROXY_SOCKET)
  return {
    command: ['bwrap', '--args', '3', '--', ...inside],
    fds: [hold(words.join('')), status, ...filter],
  }
}

/** On the machine as it is, with what a process can do to itself. */
function shutIn(given: Launch, hold: Hold): Commanded {
  const { start, confinement, way } = given
  const { processor, landlock } = confinement
  const port = way?.kind === 'port' ? way.port : null
  const filter = processor === null ? null : filterFor(processor, port === null ? 'none' : 'streams')
  const job = {
    argv: insideCommand(start.argv, null),
    env: { ...(way?.kind === 'port' ? proxyVariables(way) : {}), ...start.env },
    cwd: start.cwd,
    filter: filter && Buffer.from(filter).toString('base64'),
    landlock: landlock ? pathsFor(given, port) : null,
  }
  return { command: ['/usr/bin/python3', '-I', '-S', '-c', ENTER], fds: [hold(JSON.stringify(job))] }
}

/** What a job that shares the machine's files may do with them. */
function pathsFor({ start, own }: Launch, port: number | null) {
  const { files } = systemFilesFor(start.kind)
  const given = [...start.readOnly, ...own].map(({ from }) => from)
  return {
    read: [...files, '/proc', ...given],
    write: [...DEVICES, ...start.writable],
    port,
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
