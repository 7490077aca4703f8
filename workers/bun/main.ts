import { createInterface } from 'node:readline/promises'

import { runCommand, usageOf } from './commands/action.ts'
import type { Confirm } from './commands/action.ts'
import { COMMANDS } from './commands/commands.ts'
import { CommandFailure, EXIT, commandFailureOf } from '../server/failures.ts'

const USAGE = `
  npm start [-- --once]      or: tidemark serve [--once]

  Serves until SIGTERM or Ctrl-C. Settings are environment variables: docs/operations/configuration.md.

  --once         play the main job on temporary data, print what happened, and end
  --help, -h     print this
  --version      print the version
`

const HELP: ReadonlySet<string | undefined> = new Set(['--help', '-h'])

/** `tidemark`: serves until a signal stops it; `--once` plays the main job on temporary data and ends. The other commands
 * call a running service or work on a file. */
async function main(args: readonly string[]): Promise<void> {
  // Files of commands are readable by this user alone.
  process.umask(0o077)
  const [name, ...rest] = args
  const command = COMMANDS.find((one) => one.name === name)
  if (!command) return serveAs(args)
  // Arguments after `--` belong to the command that `exec` runs.
  const end = rest.indexOf('--')
  if (rest.slice(0, end === -1 ? undefined : end).some((word) => HELP.has(word)))
    return print(usageOf(command))
  const { text, exitCode = 0 } = await runCommand(command, rest, {
    environment: process.env,
    confirm: confirmer(),
  })
  print(text)
  process.exitCode = exitCode
}

async function serveAs([argument, ...others]: readonly string[]): Promise<void> {
  const [unknown = argument] = others
  if (argument === undefined) return startService()
  if (others.length > 0) throw usageFailure(unknown)
  if (argument === '--once') return playStory()
  if (argument === '--version') return printRelease()
  if (!HELP.has(argument)) throw usageFailure(unknown)
  print(USAGE)
}

/** The service is loaded when it starts: commands that call one take a sixth of the processor time without it. */
async function startService(): Promise<void> {
  const [{ serve }, { BUN }] = await Promise.all([import('../server/serve.ts'), import('./runtime.ts')])
  return serve(process.env, BUN)
}

async function playStory(): Promise<void> {
  const [{ tellStory }, { BUN }] = await Promise.all([import('../server/story.ts'), import('./runtime.ts')])
  return tellStory(BUN)
}

async function printRelease(): Promise<void> {
  const { RELEASE } = await import('../../src/operations/health/service.ts')
  print(`tidemark ${RELEASE.tidemark} (interface ${RELEASE.interface})\n`)
}

function print(text: string): void {
  process.stdout.write(text)
}

function confirmer(): Confirm {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    try {
      return /^y(es)?$/i.test((await terminal.question(question)).trim())
    } finally {
      terminal.close()
    }
  }
}

function usageFailure(argument = ''): CommandFailure {
  return new CommandFailure(EXIT.usage, `Unknown argument ${argument}.\n${USAGE}`)
}

function fail(error: unknown): void {
  // An error that the operator can repair is one line; a fault of the program is for a developer.
  const reason = commandFailureOf(error) ?? (error instanceof RangeError ? error : null)
  process.stderr.write(`${reason?.message ?? (error as Error).stack}\n`)
  process.exit(reason instanceof CommandFailure ? reason.exitCode : 1)
}

main(process.argv.slice(2)).catch(fail)
