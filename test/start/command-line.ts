import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
/** A user without rights, as systemd's `DynamicUser` is one: it has no home either. */
export const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

export const isRoot = process.getuid?.() === 0

type Environment = Readonly<Record<string, string>>

/** A process that was started from the command line. */
export type Started = {
  readonly pid: number
  /** What it has printed on standard output so far. */
  readonly stdout: string
  /** Resolves when its standard output has the text, or when it ends. */
  readonly until: (text: string) => Promise<void>
  /** Its end; with all that it wrote. */
  readonly ended: Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  readonly kill: (signal: NodeJS.Signals) => void
}

/** Starts a command with no other variables than PATH and those that are given; `bun` is the one that runs this. */
export function startCommand(command: readonly string[], environment: Environment, cwd = ROOT): Started {
  const child = Bun.spawn({
    cmd: command.map((word) => (word === 'bun' ? process.execPath : word)),
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let stdout = ''
  let onMore = () => {}
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      stdout += decoder.decode(chunk, { stream: true })
      onMore()
    }
    return stdout
  }
  const ended = Promise.all([read(), new Response(child.stderr).text(), child.exited]).then(
    ([, stderr, code]) => ({ code, stdout, stderr }),
  )
  return {
    pid: child.pid,
    get stdout() {
      return stdout
    },
    until: (text) =>
      Promise.race([
        ended.then(() => undefined),
        new Promise<void>((resolve) => {
          onMore = () => {
            if (stdout.includes(text)) resolve()
          }
          onMore()
        }),
      ]),
    ended,
    kill: (signal) => child.kill(signal),
  }
}

/** The Bun host, on a free port and without a runner unless the environment says otherwise. */
export function startHost(
  environment: Environment,
  args: readonly string[] = [],
  as: 'us' | 'nobody' = 'us',
): Started {
  const command = ['bun', join(ROOT, 'workers/bun/main.ts'), ...args]
  return startCommand(as === 'us' || !isRoot ? command : [...nobody, ...command], {
    TIDEMARK_PORT: '0',
    TIDEMARK_RUNNER: 'off',
    ...environment,
  })
}

/** Directories that go with the test. */
export class Directories {
  readonly #made: string[] = []

  async make(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-start-'))
    this.#made.push(directory)
    return directory
  }

  async remove(): Promise<void> {
    for (const directory of this.#made.splice(0)) await rm(directory, { recursive: true, force: true })
  }
}
