import { constants } from 'node:os'
import { createInterface } from 'node:readline/promises'

import type { Confirm } from './commands/action.ts'
import { CommandFailure, EXIT } from '../server/failures.ts'
import { fail, HELP, serveAs } from '../server/start.ts'

/** `tidemark`: serves until a signal stops it; `--once` plays the main job on temporary data and ends. The other commands
 * call a running service or work on a file. */
async function main(args: readonly string[]): Promise<void> {
  // Files of a command are for this user alone.
  process.umask(0o077)
  if (args.length === 0) return serveOrRefuse(args)
  // The service starts without the commands.
  const [{ COMMANDS }, { runCommand, usageOf }] = await Promise.all([
    import('./commands/commands.ts'),
    import('./commands/action.ts'),
  ])
  const [name, ...rest] = args
  const command = COMMANDS.find((one) => one.name === name)
  if (!command) return serveOrRefuse(args)
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

async function serveOrRefuse(args: readonly string[]): Promise<void> {
  await serveAs(args, async () => (await import('./runtime.ts')).BUN)
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

// Such as by `| head`: the reader has read enough.
const CLOSED_PIPE = 128 + constants.signals.SIGPIPE
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code === 'EPIPE') process.exit(CLOSED_PIPE)
  fail(new CommandFailure(EXIT.directory, `Standard output cannot be written: ${cause.message}.`, { cause }))
})
// Standard error without a reader cannot carry a message. The command that `exec` started goes on.
process.stderr.on('error', () => undefined)
main(process.argv.slice(2)).catch(fail)
