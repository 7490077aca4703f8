import { Buffer } from 'node:buffer'
import type { StdioOptions } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { bubblewrapArguments } from './bubblewrap.ts'
import type { Bind, Limits, SandboxStart } from './container.ts'
import { startProgram } from '../programs.ts'
import type { Started } from '../programs.ts'
import type { Way } from '../proxy.ts'
import { FORWARDED, insideCommand, PROXY, proxyVariables } from './init.ts'
import type { Forwarder } from './init.ts'
import { ownFilesFor } from './own-files.ts'
import { openPipes } from './pipes.ts'
import type { Pipes } from './pipes.ts'
import { filterFor } from './seccomp.ts'
import type { Processor } from './syscalls.ts'
import { systemFilesFor } from './system-files.ts'
import { asUser } from './uids.ts'
import type { OpenTunnel } from './ways-out.ts'

/** As text, since other users may not be able to read the file. */
const ENTER = readFileSync(join(import.meta.dirname, 'enter.py'), 'utf8')
const FILE_BLOCK_BYTES = 512
/** Jobs yield to the heartbeat of the runner. */
const NICENESS = 10

/** Runs as the user of the runner: takes the outputs, joins the job's groups, which only this user may, and forbids core dumps.
 * The outputs have other numbers than 1 and 2, because Deno also leaves a child copies of the descriptors 1 and 2.
 * Arguments: the doors of the groups with spaces between, then the next command. */
const OUTERMOST = `
exec >&5 2>&6 5>&- 6>&- || exit 125
for door in $1; do echo $$ >"$door" || exit 125; done
ulimit -c 0 || exit 125
shift
exec "$@"
`

/** The means that isolate a job. */
export type Confinement = {
  readonly namespaces: boolean
  readonly landlock: boolean
  readonly processor: Processor | null
  readonly uid: number | null
  /** Files to join groups by. */
  readonly doors: readonly string[]
}

export type LauncherOptions = {
  readonly confinement: Confinement
  /** The directory for the files and pipes of the job. */
  readonly folder: string
  /** A directory for files that are deleted as soon as they are open. */
  readonly scratch: string
}

export type Launch = {
  readonly start: SandboxStart
  readonly limits: Limits
  /** The way to the proxy; null without one. */
  readonly way: Way | null
  readonly tunnel: OpenTunnel | null
}

export type Launched = {
  readonly process: Pick<Started, 'pid' | 'exited'>
  readonly pipes: Pipes
  /** The status messages of bubblewrap. */
  readonly status: () => { readonly firstPid: number | null; readonly hasRun: boolean }
  readonly close: () => void
}

/** A process that has joined its groups and become its user, and waits for a job: these steps take longer than all later
 * ones. */
export type Launcher = {
  isWaiting(): boolean
  /** Starts its one job. Neither the environment nor the command line of another process has the environment of the job. */
  launch(given: Launch): Promise<Launched>
  /** Ends a launcher that is not needed. Does nothing after a launch or a discard. */
  discard(): Promise<void>
}

export async function openLauncher({ confinement, folder, scratch }: LauncherOptions): Promise<Launcher> {
  const { namespaces, processor, doors, uid } = confinement
  const own = await ownFilesFor(folder, uid)
  const pipes = await openPipes(folder, uid)
  const input = unnamedFile(scratch, '')
  const status = unnamedFile(scratch, '')
  const filters = namespaces && processor !== null ? [unnamedFile(scratch, filterFor(processor, 'own'))] : []
  const user = uid === null ? [] : ['setpriv', ...asUser(uid)]
  const close = () => {
    closeSync(status)
    for (const pipe of [pipes.stdout, pipes.stderr]) pipe.close()
  }
  const outputs = [pipes.stdout.writeFd, pipes.stderr.writeFd]
  const stdio = ['pipe', 'ignore', 'ignore', input, status, ...outputs, ...filters] as const
  let waiting: Waiting
  try {
    waiting = await startWaiting([OUTERMOST, 'job', doors.join(' '), ...user, '/bin/sh'], [...stdio])
  } catch (error) {
    closeSync(input)
    close()
    throw error
  } finally {
    for (const fd of [...outputs, ...filters]) closeSync(fd)
  }
  const { child, script } = waiting
  let isTaken = false
  return {
    isWaiting: () => child.exitCode === null && child.signalCode === null,
    async launch(given) {
      isTaken = true
      try {
        const { command, text } = namespaces
          ? apart(given, own, filters.length > 0)
          : shutIn(given, confinement, own)
        // By its path, so that the offset of the descriptor, which the child shares, stays 0.
        writeFileSync(`/proc/self/fd/${input}`, text)
        await pipeline([scriptFor(command, given.limits)], script)
      } catch (error) {
        child.kill('SIGKILL')
        close()
        throw error
      } finally {
        closeSync(input)
      }
      const read = () => readStatus(readFileSync(`/proc/self/fd/${status}`, 'utf8'))
      return { process: waiting, pipes, status: read, close }
    },
    async discard() {
      if (isTaken) return
      isTaken = true
      child.kill('SIGKILL')
      await waiting.exited
      closeSync(input)
      close()
    },
  }
}

type Waiting = Started & { readonly script: Writable }

/** Starts the shell that waits for its script. @throws {Error} if it cannot be started */
async function startWaiting(words: readonly string[], stdio: StdioOptions): Promise<Waiting> {
  const options = { cwd: '/', env: {}, detached: true, stdio }
  const started = await startProgram(['/bin/sh', '-c', ...words], options)
  // Before it starts other processes, which inherit the priority.
  setPriority(started.pid, NICENESS)
  const { stdin: script } = started.child
  if (!script) throw new TypeError('A shell without a script')
  // A shell that has ended takes no script: `launch` fails then.
  script.on('error', () => undefined)
  return { ...started, script }
}

/** The script for the waiting shell. */
function scriptFor(command: readonly string[], { fileMaxBytes, openFilesMax }: Limits): string {
  const words = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
  const blocks = Math.ceil(fileMaxBytes / FILE_BLOCK_BYTES)
  return `ulimit -f ${blocks} && ulimit -n ${openFilesMax} && exec ${words.join(' ')} </dev/null\nexit 125\n`
}

/** A command, and the bytes that it reads from descriptor 3. */
type Commanded = { readonly command: readonly string[]; readonly text: string }

/** In namespaces of its own, by bubblewrap. */
function apart(given: Launch, own: readonly Bind[], isFiltered: boolean): Commanded {
  const { start, way } = given
  const forwarded = socketsOf(given)
  const env = { ...(way === null ? {} : FORWARDED), ...start.env }
  const sockets = forwarded.map(({ from, socket }) => ({ from, to: socket }))
  const view = { ...start, env, own, sockets, statusFd: 4, filterFd: isFiltered ? 7 : null }
  const text = bubblewrapArguments(view)
    .map((word) => `${word}\0`)
    .join('')
  return { command: ['bwrap', '--args', '3', '--', ...insideCommand(start.argv, forwarded)], text }
}

/** The sockets of the proxy and the tunnel, with their places inside. */
function socketsOf({ way, tunnel }: Launch): (Forwarder & { readonly from: string })[] {
  const ends = [...(way === null ? [] : [{ way, inside: PROXY }]), ...(tunnel === null ? [] : [tunnel])]
  return ends.flatMap((end) => (end.way.kind === 'socket' ? [{ ...end.inside, from: end.way.path }] : []))
}

/** Confines a run without namespaces, by restrictions that its process sets for itself. */
function shutIn(given: Launch, { processor, landlock }: Confinement, own: readonly Bind[]): Commanded {
  const { start, way, tunnel } = given
  const ports = [way, tunnel?.way].flatMap((one) => (one?.kind === 'port' ? one.port : []))
  const filter = processor === null ? null : filterFor(processor, ports.length === 0 ? 'none' : 'streams')
  const job = {
    argv: insideCommand(start.argv, []),
    env: { ...(way?.kind === 'port' ? proxyVariables(way) : {}), ...start.env },
    cwd: start.cwd,
    filter: filter && Buffer.from(filter).toString('base64'),
    landlock: landlock ? pathsFor(start, own, ports) : null,
  }
  return { command: ['/usr/bin/python3', '-I', '-S', '-c', ENTER], text: JSON.stringify(job) }
}

/** The file rights of a job that shares the machine's files. */
function pathsFor(
  { kind, readOnly, writable }: SandboxStart,
  own: readonly Bind[],
  ports: readonly number[],
) {
  const { files } = systemFilesFor(kind)
  const given = [...readOnly, ...own].map(({ from }) => from)
  return { read: [...files, '/proc', ...given], write: [...DEVICES, ...writable], ports }
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

/** Bubblewrap writes a line of JSON when the first process has started, and another one when it has ended. */
function readStatus(text: string) {
  return {
    firstPid: Number(/"child-pid": (\d+)/.exec(text)?.[1] ?? 0) || null,
    hasRun: text.includes('"exit-code"'),
  }
}
