import { CommandFailure, EXIT, commandFailureOf } from './failures.ts'
import type { Runtime } from './runtime.ts'

const USAGE = `
  npm start [-- --once]      or: tidemark serve [--once]

  Serves until SIGTERM or Ctrl-C. Settings are environment variables: docs/operations/configuration.md.

  --once         play the main job on temporary data, print what happened, and end
  --help, -h     print this
  --version      print the version
`

/** The arguments that ask for the usage. */
export const HELP: ReadonlySet<string | undefined> = new Set(['--help', '-h'])

/** Serves until a signal stops it, or acts as another argument says. @returns whether it serves */
export async function serveAs(
  [argument, ...others]: readonly string[],
  loadRuntime: () => Promise<Runtime>,
): Promise<boolean> {
  const [unknown = argument] = others
  if (argument === undefined) return startService(loadRuntime)
  if (others.length > 0) throw usageFailure(unknown)
  if (argument === '--once') await playStory(loadRuntime)
  else if (argument === '--version') print(await releaseLine())
  else if (HELP.has(argument)) print(USAGE)
  else throw usageFailure(unknown)
  return false
}

/** Starts the service, which is loaded here: without it commands take a sixth of the CPU time. */
async function startService(loadRuntime: () => Promise<Runtime>): Promise<true> {
  const [{ serve }, runtime] = await Promise.all([import('./serve.ts'), loadRuntime()])
  await serve(process.env, runtime)
  return true
}

async function playStory(loadRuntime: () => Promise<Runtime>): Promise<void> {
  const [{ tellStory }, runtime] = await Promise.all([import('./story.ts'), loadRuntime()])
  await tellStory(runtime)
}

export async function releaseLine(): Promise<string> {
  const { RELEASE } = await import('../../src/operations/health/service.ts')
  return `tidemark ${RELEASE.tidemark} (interface ${RELEASE.interface})\n`
}

function print(text: string): void {
  process.stdout.write(text)
}

function usageFailure(argument = ''): CommandFailure {
  return new CommandFailure(EXIT.usage, `Unknown argument ${argument}.\n${USAGE}`)
}

/** Ends the process with an error. */
export function fail(error: unknown): void {
  // An error with a remedy is one line for the operator. Any other error has its stack for a developer.
  const reason = commandFailureOf(error) ?? (error instanceof RangeError ? error : null)
  process.stderr.write(`${reason?.message ?? (error as Error).stack}\n`)
  process.exit(reason instanceof CommandFailure ? reason.exitCode : 1)
}
