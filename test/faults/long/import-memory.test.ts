import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'

import type { FileFormat } from '../../../src/domain/import-plan.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Tables } from '../../../src/ports/tables.ts'
import { openBlobsDirectory } from '../../../workers/server/blobs-directory.ts'
import { openTables } from '../../../workers/bun/tables.ts'
import { jsonLog } from '../../../workers/json-log.ts'
import { familyOf, residentBytesOf } from '../../bench/measure.ts'
import { LIMITS, NEVER, rowsOf } from '../../contract/tables.contract.ts'
import { workbook } from '../../data/workbook.ts'
import { FAST_DIR } from '../../hosts/fast-dir.ts'
import { startTables } from '../../hosts/tables.ts'

// The peak of memory of imports whose files unpack to much: of the process that reads them on Bun, of the isolate on workerd.

const STRINGS = 300_000
const ROWS = 300_000
const MIB = 1024 * 1024
const LOOK_MS = 20
const TEST_MAX_MS = 900_000
const VALUES = { nulls: [''], decimal: '.', dateFormats: [], timeZone: 'UTC' } as const

/** A sheet of different texts that stand in the shared strings. */
function sharedStrings(): Uint8Array {
  const strings = Array.from(
    { length: STRINGS },
    (_, at) => `<si><t>a text of an order, number ${at}</t></si>`,
  )
  const rows = Array.from(
    { length: STRINGS },
    (_, at) => `<row r="${at + 2}"><c t="s"><v>${at}</v></c></row>`,
  )
  const header = '<row r="1"><c t="inlineStr"><is><t>text</t></is></c></row>'
  return workbook({ strings: strings.join(''), rows: header + rows.join('') })
}

/** A Parquet file of DuckDB, which writes a page for each column of a group of rows. */
async function parquet(text: string, rows: number, groupRows: number): Promise<Uint8Array> {
  const folder = await mkdtemp(join(FAST_DIR, 'tidemark-parquet-'))
  const path = join(folder, 'large.parquet')
  const duckdb = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  await duckdb.run(
    `COPY (SELECT ${text} AS text FROM range(${rows}) AS r(i))
     TO '${path}' (FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE ${groupRows})`,
  )
  duckdb.closeSync()
  const bytes = await Bun.file(path).bytes()
  await rm(folder, { recursive: true })
  return bytes
}

/** Groups of rows as DuckDB writes them, whose texts take almost 16 MiB each. */
const largeTexts = () => parquet('repeat(md5(i::VARCHAR), 4)', ROWS, 122_880)
/** Pages with as many numbers as a page may have. */
const largeNumbers = () => parquet('(hash(i) >> 12)::BIGINT', ROWS, 524_288)

/** Bytes now, of what an import takes. */
type Meter = () => Promise<number>

/** The most bytes until the work is over, in MiB. */
async function peakOf(work: Promise<unknown>, meter: Meter): Promise<number> {
  let isOver = false
  const end = work.finally(() => (isOver = true))
  let peak = 0
  while (!isOver) {
    peak = Math.max(peak, await meter())
    await Bun.sleep(LOOK_MS)
  }
  await end
  return peak / MIB
}

type Under = {
  readonly tables: Tables
  readonly blobs: Blobs
  readonly meter: Meter
  readonly close: () => unknown
}

/** The largest child of this process, above its rest. */
async function bun(): Promise<Under> {
  const folder = await mkdtemp(join(FAST_DIR, 'tidemark-import-memory-'))
  const log = jsonLog((line) => process.stderr.write(line))
  const blobs = await openBlobsDirectory(join(folder, 'blobs'), log)
  const tables = await openTables({ directory: join(folder, 'tables'), blobs, clock: Date, log })
  const resident = async () => {
    const [, ...children] = await familyOf(process.pid)
    const sizes = await Promise.all(children.map((pid) => residentBytesOf(pid).catch(() => 0)))
    return Math.max(0, ...sizes)
  }
  const rest = await resident()
  return {
    tables,
    blobs,
    meter: async () => (await resident()) - rest,
    async close() {
      tables.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** The heap of the isolate and the buffers beside it, garbage included, as its debugger counts them between two turns. */
async function workerd(): Promise<Under> {
  const host = await startTables(0)
  const socket = new WebSocket(await host.inspector())
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const meter = () =>
    new Promise<number>((resolve) => {
      socket.onmessage = ({ data }) => {
        const { result } = JSON.parse(String(data)) as { readonly result?: HeapUsage }
        if (result) resolve(result.usedSize + result.backingStorageSize)
      }
      socket.send(JSON.stringify({ id: 1, method: 'Runtime.getHeapUsage' }))
    })
  return {
    tables: host.tables,
    blobs: host.blobs,
    meter,
    close() {
      socket.close()
      return host.close()
    },
  }
}
type HeapUsage = { readonly usedSize: number; readonly backingStorageSize: number }

/** On Bun a child begins with nothing. On Workers an isolate has 128 MB. */
const HOSTS = [
  ['Bun', bun, 400],
  ['workerd', workerd, 128e6 / MIB],
] as const

describe.each(HOSTS)('on %s an import stays within its memory', (_, start, maxMib) => {
  let under: Under
  let tableId = 0
  // Each import begins in a process of its own, without the garbage of another.
  beforeEach(async () => {
    under = await start()
  }, TEST_MAX_MS)
  afterEach(() => under.close())

  test.each<[title: string, file: FileFormat, bytes: () => Uint8Array | Promise<Uint8Array>, rows: number]>([
    [
      '300,000 different shared strings',
      { kind: 'xlsx', sheet: null, hasHeader: true, skipRecords: 0 },
      sharedStrings,
      STRINGS,
    ],
    ['a Parquet file with large groups of texts', { kind: 'parquet' }, largeTexts, ROWS],
    ['a Parquet file with a large group of numbers', { kind: 'parquet' }, largeNumbers, ROWS],
  ])(
    '%s',
    async (title, file, make, rows) => {
      const { tables, blobs } = under
      const blob = `imports/${file.kind}`
      await blobs.put(blob, await make())
      const to = { sourceId: 1, tableId: (tableId += 1), key: 'a' }
      const importing = (async () => {
        const { columns } = await tables.inspect(blob, file, VALUES, NEVER)
        const plan = { file, values: VALUES, columns, onError: 'abort', faultsMax: 0 } as const
        await tables.load({ to, blob, plan }, NEVER)
      })()
      const mib = await peakOf(importing, under.meter)
      process.stderr.write(`${title}: ${mib.toFixed(0)} MiB\n`)
      expect(mib).toBeLessThan(maxMib)
      const view = { name: 't', of: to, columns: ['text'], where: null }
      const statement = { text: 'SELECT count(DISTINCT text) FROM t', binds: [] }
      const counted = await rowsOf(
        await tables.query({ views: [view], statement, timeZone: 'UTC' }, LIMITS, NEVER),
      )
      expect(Number(counted[0]?.[0])).toBe(rows)
    },
    TEST_MAX_MS,
  )
})
