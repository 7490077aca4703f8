import { jsonLog } from '../json-log.ts'
import { openRunner } from './runner.ts'
import { readRunnerSettings, settingWarnings } from './settings.ts'

const WITH_PARENT = '--with-parent'

const USAGE = `
  npm run runner      or: tidemark runner

  Runs scripts for a service until SIGTERM or Ctrl-C. It needs TIDEMARK_RUNNER_URL and TIDEMARK_RUNNER_TOKEN; all its
  settings are in docs/operations/runners.md.

  --help, -h         print this
  ${WITH_PARENT}      end with the process that started it
`
const EXIT_USAGE = 2

/** `npm run runner`: runs scripts for a service until a signal stops it; `--with-parent` also stops when standard
 * input ends, as it does with the parent process. */
async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE)
    return
  }
  const unknown = args.find((argument) => argument !== WITH_PARENT)
  if (unknown !== undefined) {
    process.stderr.write(`Unknown argument ${unknown}.\n${USAGE}`)
    process.exit(EXIT_USAGE)
  }
  // The umask of a service beside it hides all files. The runner sets the mode of each file that jobs must not read.
  process.umask(0o022)
  const settings = readRunnerSettings(process.env)
  const log = jsonLog((line) => process.stderr.write(`${line}\n`))
  for (const warning of settingWarnings(process.env)) log.warn(warning)
  const runner = await openRunner(settings, log)
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    runner.close().then(() => process.exit(0), fail)
  }
  // Not once: npm repeats a Ctrl-C of the terminal, and the second signal would end the process at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  if (args.includes(WITH_PARENT)) process.stdin.once('end', stop).resume()
}

function fail(error: unknown): void {
  // An error of a setting is for the operator, and has a remedy. Any other error is for a developer.
  process.stderr.write(`${error instanceof RangeError ? error.message : (error as Error).stack}\n`)
  process.exit(1)
}

main(process.argv.slice(2)).catch(fail)
