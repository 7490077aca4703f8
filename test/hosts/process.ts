import { ADMIN, TIME_ZONE } from './host.ts'

/** A host that runs as a process of its own, so that it can be stopped, paused and killed. */
export type HostProcess = {
  readonly url: string
  readonly pid: number
  /** What it has printed so far, a line each. */
  readonly logs: readonly string[]
  /** Its exit code once it has ended; 128 and the signal's number when a signal ended it. */
  readonly exited: Promise<number>
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGHUP' | 'SIGUSR1' | 'SIGUSR2'): void
}

/** Before the file of a host: as `npm start` runs the service. */
export const AS_SERVICE = ['sh', 'workers/run.sh', 'as-service'] as const

/** Whether hosts run on Deno in place of Bun (`npm run test:deno`). */
export const ON_DENO = process.env['TIDEMARK_TEST_RUNTIME'] === 'deno'

/** Before the file of a host: as `npm run start:deno` runs the service. */
export const AS_DENO = ['sh', 'workers/run.sh', 'as-deno'] as const
/** The files of hosts on Bun that run on Deno as well. */
const DENO_FILES: Readonly<Record<string, string>> = {
  'workers/bun/main.ts': 'workers/deno/main.ts',
  'workers/runner/main.ts': 'workers/runner/main.ts',
  'test/faults/host.ts': 'test/faults/host.ts',
}

/** The command of a host, with Deno in place of Bun where hosts run on it. */
export function hostCommand([program = '', file = '', ...args]: readonly string[]): string[] {
  const onDeno = ON_DENO && program === 'bun' ? DENO_FILES[file] : undefined
  if (onDeno !== undefined) return [...AS_DENO, onDeno, ...args]
  return [program === 'bun' ? process.execPath : program, file, ...args]
}

export type ProcessOptions = {
  /** The program and its arguments; `bun` stands for the one that runs this. */
  readonly command: readonly string[]
  readonly dataDir: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts a host and resolves when it serves; its data stay when it ends.
 * @throws {Error} with what it printed when it ends before */
export async function startProcess({
  command,
  dataDir,
  environment = {},
}: ProcessOptions): Promise<HostProcess> {
  const child = Bun.spawn({
    cmd: hostCommand(command),
    cwd: `${import.meta.dirname}/../..`,
    env: {
      ...process.env,
      TIDEMARK_PORT: '0',
      TIDEMARK_DATA_DIR: dataDir,
      TIDEMARK_TIME_ZONE: TIME_ZONE,
      TIDEMARK_ADMIN_PASSWORD: ADMIN.password,
      TIDEMARK_FIRST_OBJECTS: 'off',
      TIDEMARK_RUNNER: 'off',
      ...environment,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const logs: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    const read = async (stream: ReadableStream<Uint8Array>) => {
      for await (const line of linesOf(stream)) {
        logs.push(line)
        const started = /"message":"started","url":"([^"]+)"/.exec(line)?.[1]
        if (started !== undefined) resolve(started)
      }
    }
    Promise.all([read(child.stdout), read(child.stderr)]).then(
      () => reject(new Error(`The host ended before it served:\n${logs.join('\n')}`)),
      reject,
    )
  })
  return { url, pid: child.pid, logs, exited: child.exited, signal: (name) => child.kill(name) }
}

/** What comes, line by line. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
