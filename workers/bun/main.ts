import { createInterface } from 'node:readline/promises'

import { RELEASE } from '../../src/operations/health/service.ts'
import { USAGE as BACKUP_USAGE, backup, restore } from './backup.ts'
import type { Confirm } from './backup.ts'
import { DEMO_USAGE, demo } from './demo.ts'
import { CommandFailure, EXIT, commandFailureOf } from './failures.ts'
import { serve } from './serve.ts'
import { tellStory } from './story.ts'

const USAGE = `
  npm start [-- --once]      or: tidemark serve [--once]

  Serves until SIGTERM or Ctrl-C. Settings are environment variables: docs/operations/configuration.md.

  --once         play the main job on temporary data, print what happened, and end
  --help, -h     print this
  --version      print the version
`

const HELP: ReadonlySet<string | undefined> = new Set(['--help', '-h'])

/** `tidemark`: serves until a signal stops it; `--once` plays the main job on temporary data and ends, `backup`,
 * `restore` and `demo` call a running service. */
async function main(args: readonly string[]): Promise<void> {
  // What a command writes is for this user alone.
  process.umask(0o077)
  const [command, ...rest] = args
  if (command !== 'backup' && command !== 'restore' && command !== 'demo') return serveAs(args)
  if (rest.some((word) => HELP.has(word))) return print(command === 'demo' ? DEMO_USAGE : BACKUP_USAGE)
  if (command === 'demo') return print(await demo(rest, process.env))
  if (command === 'backup') return print(await backup(rest, process.env))
  print(await restore(rest, process.env, confirmer()))
}

async function serveAs([argument, ...others]: readonly string[]): Promise<void> {
  const [unknown = argument] = others
  if (argument === undefined) return serve(process.env)
  if (others.length > 0) throw usageFailure(unknown)
  if (argument === '--once') return tellStory()
  if (argument === '--version')
    return print(`tidemark ${RELEASE.tidemark} (interface ${RELEASE.interface})\n`)
  if (!HELP.has(argument)) throw usageFailure(unknown)
  print(USAGE)
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
  // What the operator can end is one line; a fault of the program is for a developer.
  const reason = commandFailureOf(error) ?? (error instanceof RangeError ? error : null)
  process.stderr.write(`${reason?.message ?? (error as Error).stack}\n`)
  process.exit(reason instanceof CommandFailure ? reason.exitCode : 1)
}

main(process.argv.slice(2)).catch(fail)
