import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openBlobsDirectory } from '../../workers/server/blobs-directory.ts'
import { openTables } from '../../workers/bun/tables.ts'
import { jsonLog } from '../../workers/json-log.ts'
import { LIMITS, NEVER, rowsOf } from '../contract/tables.contract.ts'
import { startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import { childrenOf } from '../runner/processes.ts'
import { until } from '../until.ts'
import { importEnded, replaceOrders } from './imports.ts'
import type { ImportPlace } from './imports.ts'
import { killAll } from './process-tree.ts'
import { Session } from './session.ts'

const COMMAND = ['bun', 'workers/bun/main.ts']
/** `npm run faults:kill-imports` has twenty. */
const KILLS = Number(process.env['TIDEMARK_TEST_IMPORT_KILLS'] ?? 3)
const ROWS = 40_000

test(
  `a table is the old one or the new one, whole, after ${KILLS} kills during imports, and no file stays`,
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-kill-imports-'))
    let host = await startProcess({ command: COMMAND, dataDir })
    const session = await Session.open(host.url)
    const source = await session.create(host.url, '/dataSources', { name: 'files', type: 'csv' })
    const place: Place = { dataDir, session, source }

    const begunAt = performance.now()
    await importEnded(place, host, await replace(place, host, 1))
    const importMs = performance.now() - begunAt
    let version = 1
    for (let kill = 1; kill <= KILLS; kill++) {
      const next = version + 1
      const operation = await replace(place, host, next)
      // Evenly over the import, and a little after its usual end.
      await Bun.sleep((kill / KILLS) * importMs * 1.1 + randomInt(5))
      await killService(host)
      // As if a day were over: an import that was killed leaves its upload, of which a data source has 20.
      changed(dataDir, 'UPDATE data_uploads SET expires_at = 1')

      host = await startProcess({ command: COMMAND, dataDir })
      const table = await tableOf(place)
      expect([version, next]).toContain(table.version)
      expect(table.contents).toEqual([ROWS + table.version, table.version, table.version])
      const { state } = await session.get(host.url, operation)
      if (state === 'succeeded') expect(table.version).toBe(next)
      version = table.version
    }

    await importEnded(place, host, await replace(place, host, version + 1))
    expect((await tableOf(place)).version).toBe(version + 1)
    expect((await session.get(host.url, `/dataSources/${source}/columns`)) as unknown).toMatchObject([
      { table: 'orders', name: `v${version + 1}` },
    ])

    // As if the hour of loads and the minute of readers were over.
    await killAll(host)
    changed(dataDir, 'UPDATE data_generations SET drop_at = 1 WHERE drop_at IS NOT NULL')
    expect((await filesOf(place)).length).toBeGreaterThan(1)
    host = await startProcess({ command: COMMAND, dataDir })
    await until(async () => (await filesOf(place)).length === 1)
    expect((await tableOf(place)).contents[0]).toBe(ROWS + version + 1)
    await killAll(host)
    await rm(dataDir, { recursive: true })
  },
  60_000 + KILLS * 90_000,
)

type Place = ImportPlace & { readonly dataDir: string }

/** Changes the system database while no service runs. */
function changed(dataDir: string, statement: string): void {
  const database = new Database(join(dataDir, 'config.db'))
  database.run(statement)
  database.close()
}

/** Begins to replace the table by a version. @returns the path of the operation */
function replace(place: ImportPlace, host: HostProcess, version: number): Promise<string> {
  return replaceOrders(place, host, { csv: `v${version}\n${`${version}\n`.repeat(ROWS + version)}` })
}

/** Kills the service alone. Its processes of tables end by themselves. */
async function killService(host: HostProcess): Promise<void> {
  const children = await childrenOf(host.pid)
  host.signal('SIGKILL')
  await host.exited
  await until(() => children.every((pid) => !existsSync(`/proc/${pid}/exe`)))
}

type Stored = { readonly version: number; readonly contents: readonly unknown[] }

/** The version that the system database has, and the number, minimum and maximum of the rows that its generation has. */
async function tableOf({ dataDir, source }: Place): Promise<Stored> {
  const database = new Database(join(dataDir, 'config.db'), { readonly: true })
  const row = database
    .query<{ columns: string; generation_id: number }, []>('SELECT columns, generation_id FROM data_tables')
    .get()
  database.close()
  const [column] = JSON.parse(row?.columns ?? '[]') as { name: string }[]
  const generationId = row?.generation_id ?? 0
  const name = column?.name ?? ''
  const copy = await mkdtemp(join(dataDir, 'look-'))
  const file = join(String(source), `${generationId}-rows.duckdb`)
  await mkdir(join(copy, String(source)))
  await link(join(dataDir, 'tables', file), join(copy, file))
  const log = jsonLog(console.error)
  const blobs = await openBlobsDirectory(join(copy, 'blobs'), log)
  const tables = await openTables({ directory: copy, blobs, clock: Date, log })
  const view = {
    name: 'orders',
    of: { sourceId: source, tableId: generationId, key: 'rows' },
    columns: [name],
    where: null,
  }
  const statement = { text: `SELECT count(*), min(${name}), max(${name}) FROM orders`, binds: [] }
  const rows = await rowsOf(await tables.query({ views: [view], statement, timeZone: 'UTC' }, LIMITS, NEVER))
  tables.close()
  await rm(copy, { recursive: true })
  return { version: Number(name.slice(1)), contents: rows[0] ?? [] }
}

async function filesOf({ dataDir, source }: Place): Promise<readonly string[]> {
  return readdir(join(dataDir, 'tables', String(source)))
}
