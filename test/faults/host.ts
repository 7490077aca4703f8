import { setImmediate } from 'node:timers/promises'

import { Keeper } from '../../src/monitoring/keeper/service.ts'
import { startServer } from '../../workers/bun/server.ts'
import type { Seams } from '../../workers/bun/server.ts'
import { readBunSettings } from '../../workers/bun/settings.ts'
import { acknowledgingEarly } from './early-values.ts'

// The Bun host as a process, with one part made worse on purpose; the argument says which.
const HOSTS: Readonly<Record<string, Seams>> = {
  'folds-all-the-time': {},
  'acknowledges-early': { values: acknowledgingEarly },
  'credits-nothing': { stallMs: Number.POSITIVE_INFINITY },
}

async function foldAllTheTime(keeper: unknown): Promise<never> {
  if (!(keeper instanceof Keeper)) throw new TypeError('This host keeps its jobs elsewhere.')
  for (;;) {
    await keeper.fold()
    await setImmediate()
  }
}

const [name = ''] = process.argv.slice(2)
const seams = HOSTS[name]
if (!seams) throw new RangeError(`There is no host ${name}.`)
const server = await startServer(readBunSettings(process.env), seams)
if (name === 'folds-all-the-time') await foldAllTheTime(server.ports.jobActors)
