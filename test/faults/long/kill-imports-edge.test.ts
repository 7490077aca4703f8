import { expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProcess } from '../../hosts/process.ts'
import type { HostProcess } from '../../hosts/process.ts'
import { readUntil } from '../../until.ts'
import { importEnded, replaceOrders } from '../imports.ts'
import type { ImportPlace } from '../imports.ts'
import { killAll } from '../process-tree.ts'
import { Session } from '../session.ts'
import { systemDatabase } from '../system-database.ts'

const COMMAND = ['bun', 'test/faults/edge-host.ts', 'light-hashes']
/** `npm run faults:kill-imports` has twenty. */
const KILLS = Number(process.env['TIDEMARK_TEST_IMPORT_KILLS'] ?? 4)
const ROWS = 20_000

test(
  `a table of workerd is the old one or the new one, whole, after ${KILLS} kills during imports`,
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-kill-imports-edge-'))
    const start = () => startProcess({ command: COMMAND, dataDir })
    let host = await start()
    const session = await Session.open(host.url)
    const source = await session.create(host.url, '/dataSources', { name: 'files', type: 'csv' })
    const place = { session, source }

    const begunAt = performance.now()
    await importEnded(place, host, await replace(place, host, 1))
    const importMs = performance.now() - begunAt
    let version = 1
    const outcomes = new Set<number>()
    for (let kill = 1; kill <= KILLS; kill++) {
      const next = version + 1
      const operation = await replace(place, host, next)
      // Evenly over the import, and a little after its usual end.
      await Bun.sleep((kill / KILLS) * importMs * 1.1 + randomInt(5))
      await killAll(host)
      const system = await systemDatabase(dataDir)
      // As if a day were over, for uploads, and 30 seconds, for the lease of the import that was killed.
      system.run('UPDATE data_uploads SET expires_at = 1')
      system.run('UPDATE operations SET lease_until_at = 1 WHERE ended_at IS NULL')
      system.close()

      host = await start()
      const { state } = await session.get(host.url, operation)
      expect(['succeeded', 'failed']).toContain(String(state))
      const now = await versionOf(place, host)
      expect(state === 'succeeded' ? [next] : [version, next]).toContain(now)
      outcomes.add(now - version)
      version = now
    }
    expect(outcomes.has(0)).toBe(true)
    await importEnded(place, host, await replace(place, host, version + 1))
    expect(await versionOf(place, host)).toBe(version + 1)
    await killAll(host)
    await rm(dataDir, { recursive: true })
  },
  60_000 + KILLS * 90_000,
)

/** A connection that workerd ends while it idles would break the next request. */
const ONCE = { connection: 'close' }

/** Begins to replace the table by a version. @returns the path of the operation */
function replace(place: ImportPlace, host: HostProcess, version: number): Promise<string> {
  return replaceOrders(place, host, { csv: `v\n${`${version}\n`.repeat(ROWS + version)}`, headers: ONCE })
}

/** The version of all rows of the table, of which each version has one more. */
async function versionOf({ session, source }: ImportPlace, host: HostProcess): Promise<number> {
  const aggregates = [
    { fn: 'MIN', column: 'v', as: 'least' },
    { fn: 'MAX', column: 'v', as: 'most' },
    { fn: 'COUNT', expr: '*', as: 'rows' },
  ]
  const path = `/dataSources/${source}/tables/orders/select`
  const answer = await readUntil(
    () => session.send(host.url, path, { aggregates }, ONCE),
    ({ status }) => status === 200,
  )
  const [row] = ((await answer.json()) as { readonly rows: readonly (readonly number[])[] }).rows
  const [least = 0, most, rows] = row ?? []
  expect([most, rows]).toEqual([least, ROWS + least])
  return least
}
