import { constants } from 'node:os'

import { CommandFailure } from '../../server/failures.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs work that a signal of the operator aborts. Aborted work cleans up and throws the reason of the abort, a failure whose
 * exit code is 128 plus the number of the signal. A second signal ends the process at once. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interruption = new AbortController()
  const interrupt = (signal: NodeJS.Signals) => {
    const exitCode = 128 + constants.signals[signal]
    interruption.abort(new CommandFailure(exitCode, `${signal} ended the command.`))
  }
  for (const signal of SIGNALS) process.once(signal, interrupt)
  try {
    return await work(interruption.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
  }
}
