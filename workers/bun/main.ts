import { createInterface } from 'node:readline/promises'

import { RELEASE } from '../../src/operations/health/service.ts'
import { backup, restore } from './backup.ts'
import type { Confirm } from './backup.ts'
import { EXIT, StartFailure } from './failures.ts'
import { serve } from './serve.ts'
import { tellStory } from './story.ts'

const USAGE = `
  npm start [-- --once]      or: tidemark serve [--once]

  Serves until SIGTERM or Ctrl-C. Settings are environment variables: README.md, Settings.

  --once         play the main job on temporary data, print what happened, and end
  --help, -h     print this
  --version      print the version
`

/** `tidemark`: serves until it is told to stop; `--once` plays the main job on temporary data and ends, `backup` and
 * `restore` ask a service that runs. */
async function main([command = '', ...rest]: readonly string[]): Promise<void> {
  if (command === 'backup') return print(await backup(rest, process.env))
  if (command === 'restore') return print(await restore(rest, process.env, confirmer()))
  const args = command === '' ? rest : [command, ...rest]
  const [argument, ...others] = args
  if (argument === undefined) return serve(process.env)
  if (others.length > 0) throw usageFailure(`Give one argument, not ${args.length}.`)
  if (argument === '--once') return tellStory()
  if (argument === '--help' || argument === '-h') return print(USAGE)
  if (argument === '--version' || argument === 'version')
    return print(`tidemark ${RELEASE.tidemark} (interface ${RELEASE.interface})\n`)
  throw usageFailure(`Unknown argument ${argument}.`)
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

function usageFailure(message: string): StartFailure {
  return new StartFailure(EXIT.usage, `${message}\n${USAGE}`)
}

function fail(error: unknown): void {
  // What the operator can end is one line; a fault of the program is for a developer.
  const isForOperator = error instanceof StartFailure || error instanceof RangeError
  process.stderr.write(`${isForOperator ? error.message : (error as Error).stack}\n`)
  process.exit(error instanceof StartFailure ? error.exitCode : 1)
}

main(process.argv.slice(2)).catch(fail)
