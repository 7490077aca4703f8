import { expect, test } from 'bun:test'

import { startProcess } from '../hosts/process.ts'
import { inDataDir } from './data-dir.ts'
import { killAll } from './process-tree.ts'
import { Session } from './session.ts'

type Seen = { readonly timestamp: string; readonly to: string; readonly reason: string }

const AHEAD_MS = 4_000
const LENGTH_MS = 1_000
const NOTICED_MAX_MS = 10_000

// They wait, and do it together.
test.concurrent.each([
  ['the Bun host', ['bun', 'workers/bun/main.ts']],
  ['the edge', ['bun', 'test/faults/edge-host.ts', 'light-hashes']],
])(
  '%s, killed before maintenance begins and started after it has ended, dates both as they were planned',
  (_, command) =>
    inDataDir(async (dataDir) => {
      const before = await startProcess({ command, dataDir })
      const session = await Session.open(before.url)
      const [jobId = 0] = await session.createJobs(before.url, 1)
      const beginAt = Date.now() + AHEAD_MS
      const [begin, end] = [beginAt, beginAt + LENGTH_MS].map((at) => new Date(at).toISOString())
      const entered = await session.send(before.url, '/groups/1/revaluations', { begin, end })
      expect(entered.status).toBe(201)
      await killAll(before)
      expect(Date.now()).toBeLessThan(beginAt)
      await Bun.sleep(beginAt + LENGTH_MS + 100 - Date.now())

      const after = await startProcess({ command, dataDir })
      const startedAt = Date.now()
      let seen: Seen[] = []
      while (seen.length < 2 && Date.now() < startedAt + NOTICED_MAX_MS) {
        const { transitions } = await session.get(after.url, `/jobs/${jobId}/state-history`)
        seen = (transitions as Seen[]).filter(({ reason }) => reason === 'maintenance')
        await Bun.sleep(50)
      }
      await killAll(after)
      expect(seen.map(({ timestamp, to }) => [Date.parse(timestamp), to])).toEqual([
        [beginAt, 'maintenance_ok'],
        [beginAt + LENGTH_MS, 'ok'],
      ])
    }),
  180_000,
)
