import { expect, test } from 'bun:test'

import type { Ports } from '../../ports/index.ts'
import { readFigures } from './service.ts'

test('the lateness of deadlines is in seconds', async () => {
  const engine = { jobs: 1, storedValues: 2, commits: 3, unflushed: { samples: 4, rows: 5, sizeBytes: 6 } }
  const ingestHealth = { figures: () => ({ ...engine, overdueMs: 31_500 }) }
  const scripts = { runners: 0, refusing: 0, waiting: 0, waitingSeconds: 0 }
  const figures = await readFigures({ ingestHealth } as Partial<Ports> as Ports, {
    scripts: () => Promise.resolve(scripts as never),
    rooms: [],
  })
  const lateness = figures.find(({ name }) => name === 'tidemark_deadline_lateness_seconds')
  expect(lateness?.samples).toEqual([{ value: 31.5 }])
})
