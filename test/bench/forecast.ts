import { cpus, loadavg } from 'node:os'
import { ENGINE, pythonWith } from '../runner/forecast-environment.ts'

/** `npm run bench:forecast [-- <series of each M3 set> --kinds auto --sets 'M3 yearly']`: the accuracy of the kinds of forecasts on public series. */
const python = await pythonWith('bench')
const load = () => loadavg()[0]?.toFixed(1)
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`
process.stdout.write(`${new Date().toISOString().slice(0, 10)}, ${machine}, load ${load()}\n\n`)
const child = Bun.spawn([python, 'bench.py', ...process.argv.slice(2)], {
  cwd: ENGINE,
  stdout: 'inherit',
  stderr: 'inherit',
})
const code = await child.exited
process.stdout.write(`\nload ${load()}\n`)
process.exit(code)
