import type { FileContents } from '../../src/domain/import-plan.ts'
import type { Row } from '../../src/domain/table.ts'
import { Refusal } from '../../src/lib/errors.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { Plan, QueryLimits, ResultColumn } from '../../src/ports/databases.ts'
import type {
  EditOutcome,
  Generation,
  LoadCounts,
  LoadOrder,
  ReshapeOutcome,
  TableQuery,
  Tables,
} from '../../src/ports/tables.ts'
import { startWorker } from './miniflare.ts'
import { remoteBlobs } from './storage.ts'
import type { TablesCall, TablesLine } from './tables-worker.ts'

/** The tables of the edge, in objects of workerd. */
export type TablesHost = {
  readonly tables: Tables
  readonly blobs: Blobs
  /** Ends the object of a source, which forgets what it has in memory. */
  die(sourceId: number): Promise<void>
  /** The names in the storage of a source. */
  names(sourceId: number): Promise<readonly string[]>
  /** How many rows lie in the storage of a source, those of loads that have not ended included. */
  stored(sourceId: number): Promise<number>
  /** The milliseconds of each alarm of a source since its object began. */
  alarms(sourceId: number): Promise<readonly number[]>
  /** Begins a load, and leaves once rows are stored. */
  loadAndLeave(order: LoadOrder): Promise<void>
  /** Begins to read a result, and leaves with its first rows. */
  queryAndLeave(query: TableQuery, limits: QueryLimits): Promise<void>
  /** The address of the debugger of the isolate. */
  inspector(): Promise<URL>
  close(): Promise<void>
}

/** Starts workerd with the objects of tables, and reaches the port within it.
 * @param inspectorPort the port of its debugger; 0 for a free one */
export async function startTables(inspectorPort?: number): Promise<TablesHost> {
  const miniflare = await startWorker('tables-worker.ts', {
    ...(inspectorPort !== undefined && { inspectorPort }),
    r2Buckets: { FILES: 'files' },
    durableObjects: { TABLES: { className: 'MortalTables', useSQLite: true } },
  })
  const url = await miniflare.ready
  const lines = async (call: TablesCall) => {
    const body = JSON.stringify(call)
    const response = await fetch(new URL('/tables', url), { method: 'POST', body, keepalive: false })
    if (!response.body) throw new Error('The tables answered nothing')
    return linesOf(response.body)
  }
  const resultOf = async (call: TablesCall, progress?: (share: number) => void) => {
    for await (const line of await lines(call)) {
      if ('share' in line) progress?.(line.share)
      else if ('result' in line) return line.result
    }
    throw new Error('The tables did not answer to the end')
  }
  const tables = {
    dialect: 'sqlite',
    async query(query, limits) {
      const answer = await lines({ method: 'query', args: [query, limits] })
      const first = (await answer.next()).value
      if (!first || !('result' in first)) throw new Error('The tables answered no columns')
      return { columns: first.result as ResultColumn[], rows: rowsOf(answer) }
    },
    explain: async (query, options, limits) =>
      (await resultOf({ method: 'explain', args: [query, options, limits] })) as Plan,
    async read(of, columns) {
      const answer = await lines({ method: 'read', args: [of, columns] })
      await answer.next()
      return rowsOf(answer)
    },
    inspect: async (...[blob, file, values, , progress]) =>
      (await resultOf({ method: 'inspect', args: [blob, file, values] }, progress)) as FileContents,
    load: async (order, _, progress) =>
      (await resultOf({ method: 'load', args: [order] }, progress)) as LoadCounts,
    edit: async (order) => (await resultOf({ method: 'edit', args: [order] })) as EditOutcome,
    reshape: async (order) => (await resultOf({ method: 'reshape', args: [order] })) as ReshapeOutcome,
    drop: async (generations) => void (await resultOf({ method: 'drop', args: [generations] })),
    list: async (sourceId) => (await resultOf({ method: 'list', args: [sourceId] })) as Generation[],
  } satisfies Tables
  return {
    tables,
    blobs: remoteBlobs(url),
    die: async (sourceId) =>
      void (await resultOf({ method: 'die', args: [sourceId] }).catch(() => undefined)),
    names: async (sourceId) => (await resultOf({ method: 'names', args: [sourceId] })) as readonly string[],
    stored: async (sourceId) => (await resultOf({ method: 'stored', args: [sourceId] })) as number,
    alarms: async (sourceId) => (await resultOf({ method: 'alarms', args: [sourceId] })) as readonly number[],
    loadAndLeave: async (order) => void (await resultOf({ method: 'loadAndLeave', args: [order] })),
    queryAndLeave: async (...args) => void (await resultOf({ method: 'queryAndLeave', args })),
    inspector: async () => {
      const debuggers = await miniflare.getInspectorURL()
      const found = await fetch(`http://${debuggers.host}/json`, { keepalive: false })
      const [{ webSocketDebuggerUrl }] = (await found.json()) as [{ webSocketDebuggerUrl: string }]
      return new URL(webSocketDebuggerUrl)
    },
    close: () => miniflare.dispose(),
  }
}

function rowsOf(answer: AsyncGenerator<TablesLine, undefined>): ReadableStream<readonly Row[]> {
  return new ReadableStream<readonly Row[]>(
    {
      async pull(controller) {
        const { value } = await answer.next()
        if (value === undefined) controller.close()
        else if ('rows' in value) controller.enqueue(value.rows as readonly Row[])
      },
      async cancel() {
        await answer.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** @throws {Refusal} the one that the answer carries */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<TablesLine, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    rest += first
    for (const part of others) {
      const line = JSON.parse(rest) as TablesLine
      rest = part
      if ('failure' in line) throw new Refusal(line.failure.code, line.failure.detail, line.failure.errors)
      yield line
    }
  }
  return undefined
}
