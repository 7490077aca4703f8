import { jsonLog } from '../json-log.ts'
import { openRunner } from './runner.ts'
import { readRunnerSettings } from './settings.ts'

/** `npm run runner`: runs scripts for a service until it is told to stop. */
async function main(): Promise<void> {
  const settings = readRunnerSettings(process.env)
  const log = jsonLog((line) => process.stderr.write(`${line}\n`))
  const runner = await openRunner(settings, log)
  const stop = () => {
    runner.close().then(() => process.exit(0), fail)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

function fail(error: unknown): void {
  // A wrong setting is for the operator, and says what to do; everything else is for a developer.
  process.stderr.write(`${error instanceof RangeError ? error.message : (error as Error).stack}\n`)
  process.exit(1)
}

main().catch(fail)
