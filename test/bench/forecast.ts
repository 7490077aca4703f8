import { cpus } from 'node:os'
import { ENGINE, pythonWith } from '../runner/forecast-environment.ts'

/** `npm run bench:forecast [-- <series of each M3 set>]`: the accuracy of the kinds of forecasts on public series. */
const python = await pythonWith('bench')
process.stdout.write(`${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model ?? 'unknown CPU'}\n\n`)
const child = Bun.spawn([python, 'bench.py', ...process.argv.slice(2)], {
  cwd: ENGINE,
  stdout: 'inherit',
  stderr: 'inherit',
})
process.exit(await child.exited)
