import { join } from 'node:path'

import { startHrana } from '../hosts/hrana.ts'

// A libSQL server as a process of its own, so that it can be paused; the argument is a folder for its data.
const [folder = ''] = process.argv.slice(2)
const { url } = startHrana(join(folder, 'system.db'))
process.stdout.write(`${JSON.stringify({ message: 'started', url })}\n`)
