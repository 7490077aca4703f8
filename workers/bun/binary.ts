import { dirname, join } from 'node:path'

// The executable of `npm run build:binary`: Bun with this program. It loads the files of `app` beside it, where each finds the
// others, native modules and files of Python among them. It is also the `process.execPath` by which the service starts its
// own files as processes.
const APP = join(dirname(process.execPath), 'app')
const MAIN = 'workers/bun/main.ts'

/** Commands that are programs of their own, as in `workers/run.sh`. */
const PROGRAMS: Readonly<Record<string, string>> = { serve: MAIN, runner: 'workers/runner/main.ts' }

const words = process.argv.slice(2)
const [first = '', ...others] = words
const isOwnFile = first.startsWith(`${APP}/`) && first.endsWith('.ts')
const program = PROGRAMS[first]
const file = isOwnFile ? first : join(APP, program ?? MAIN)
const isFirstTaken = isOwnFile || program !== undefined
process.argv = [process.execPath, file, ...(isFirstTaken ? others : words)]
await import(file)
