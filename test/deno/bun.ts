import { spawn, spawnSync } from 'node:child_process'
import type { SpawnOptions } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import { commandOf } from '../../workers/server/program.ts'

/** `Bun` for tests that run in a process of Deno: as much of it as they use. Deno loads this file before theirs. */

const FLAGS = [
  '--v8-flags=--expose-gc',
  `--import-map=${join(import.meta.dirname, 'import-map.json')}`,
  `--preload=${import.meta.filename}`,
]

type Output = 'pipe' | 'inherit' | 'ignore' | number

type Spawned = {
  readonly cmd: readonly string[]
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly stdin?: 'pipe' | 'ignore'
  readonly stdout?: Output
  readonly stderr?: Output
}

/** The command of a file of tests: Deno with these stand-ins. */
function commandFor([program = '', ...args]: readonly string[]): [string, ...string[]] {
  const at = program === process.execPath ? 0 : args.indexOf(process.execPath) + 1
  const words = [program, ...args]
  const file = words[at + 1] ?? ''
  if (words[at] !== process.execPath || !file.endsWith('.ts')) return [program, ...args]
  const deno = commandOf(file)
  return [...words.slice(0, at), ...deno.slice(0, -1), ...FLAGS, file, ...words.slice(at + 2)] as [string]
}

function spawnAs(given: Spawned | readonly string[], more: Omit<Spawned, 'cmd'> = {}) {
  const {
    cmd,
    cwd,
    env,
    stdin,
    stdout = 'pipe',
    stderr = 'inherit',
  } = 'cmd' in given ? given : { cmd: given, ...more }
  const [command, ...args] = commandFor(cmd)
  const options: SpawnOptions = {
    stdio: [stdin ?? 'ignore', stdout, stderr],
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
  }
  const child = spawn(command, args, options)
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)))
  })
  // A failure to start that its caller does not wait for is in what follows.
  exited.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    exited,
    stdin: child.stdin,
    stdout: child.stdout && readable(child.stdout),
    stderr: child.stderr && readable(child.stderr),
    kill: (signal?: NodeJS.Signals) => child.kill(signal),
    get exitCode() {
      return child.exitCode
    },
    get signalCode() {
      return child.signalCode
    },
  }
}

function readable(stream: Readable) {
  const web = Readable.toWeb(stream)
  return Object.assign(web, { text: () => new Response(web as unknown as ReadableStream<Uint8Array>).text() })
}

function fileAt(path: string) {
  return {
    text: () => readFile(path, 'utf8'),
    json: async () => JSON.parse(await readFile(path, 'utf8')) as unknown,
    bytes: () => readFile(path),
    exists: () =>
      access(path).then(
        () => true,
        () => false,
      ),
  }
}

async function write(path: string, data: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, data)
}

function which(name: string, { PATH = process.env['PATH'] ?? '' } = {}): string | null {
  const paths = PATH.split(delimiter).map((folder) => join(folder, name))
  return paths.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

class Glob {
  readonly #pattern: string

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  scanSync(cwd: string): string[] {
    return globSync(this.#pattern, { cwd })
  }

  async *scan({ cwd }: { readonly cwd: string }): AsyncGenerator<string> {
    yield* this.scanSync(cwd)
  }
}

type Served = {
  readonly port?: number
  readonly hostname?: string
  readonly fetch: (request: Request) => Response | Promise<Response>
}

function serve({ port = 0, hostname = '0.0.0.0', fetch }: Served) {
  const ending = new AbortController()
  const options = { port, hostname, signal: ending.signal, onListen: () => undefined }
  const server = Deno.serve(options, (request) => fetch(request))
  return { port: server.addr.port, stop: async () => ending.abort() }
}

/** A server that says nothing. */
function listen({ port = 0, hostname = '127.0.0.1' }: Omit<Served, 'fetch'>) {
  return serve({ port, hostname, fetch: () => Promise.withResolvers<Response>().promise })
}

const STAND_IN = {
  env: process.env,
  file: fileAt,
  gc: () => globalThis.gc?.(),
  Glob,
  listen,
  readableStreamToText: text,
  serve,
  sleep,
  spawn: spawnAs,
  spawnSync: ([command = '', ...args]: readonly string[]) => spawnSync(command, args),
  version: process.version,
  which,
  write,
}

Object.assign(globalThis, { Bun: STAND_IN })
