import type {
  D1Database,
  D1PreparedStatement,
  DurableObjectState,
  DurableObjectStorage,
  SqlStorageCursor,
} from '@cloudflare/workers-types'

import type { Environment } from '../../workers/edge/environment.ts'
import worker, { EventsObject as TrueEventsObject } from '../../workers/edge/main.ts'
import handWorker, {
  DispatchObject as HandDispatchObject,
  FlowObject as HandFlowObject,
  JobObject as HandJobObject,
} from './hand-worker.ts'
import type { Counts } from './counts.ts'

type Row = Record<string, string | number | null | ArrayBuffer>

let counts = newCounts()
/** Rows are known once a cursor was read. */
let cursors: SqlStorageCursor<Row>[] = []

function newCounts(): Counts {
  return {
    workerRequests: 0,
    objectRequests: { JOB: 0, FLOW: 0, EVENTS: 0, DISPATCH: 0 },
    alarms: { JOB: 0, FLOW: 0 },
    setAlarms: { JOB: 0, FLOW: 0, EVENTS: 0, DISPATCH: 0 },
    d1Calls: 0,
    d1RowsRead: 0,
    d1RowsWritten: 0,
    objectRowsRead: 0,
    objectRowsWritten: 0,
  }
}

/** What was counted since this was asked last. */
function taken(): Counts {
  const told = counts
  for (const { rowsRead, rowsWritten } of cursors) {
    told.objectRowsRead += rowsRead
    told.objectRowsWritten += rowsWritten
  }
  counts = newCounts()
  cursors = []
  return told
}

// Runs in workerd: the service with its clock and the platform's alarms moved by hand, which counts what the platform bills.
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  fetch(request: Request, bindings: Environment): Promise<Response> | Response {
    const { pathname } = new URL(request.url)
    if (pathname === '/counts') return Response.json(taken())
    if (pathname === '/by-hand/cool') return cool(bindings)
    if (pathname.startsWith('/by-hand')) return handWorker.fetch(request, counted(bindings))
    counts.workerRequests++
    return worker.fetch(request, counted(bindings))
  },
}

const jobObjects = new Set<string>()

async function cool({ JOB }: Environment): Promise<Response> {
  for (const id of jobObjects) {
    const object = JOB.get(JOB.idFromString(id)) as unknown as { die(): Promise<void> }
    await object.die().catch(() => undefined)
  }
  return new Response(null, { status: 204 })
}

const wrapped = new WeakMap<Environment, Environment>()

/** The bindings, with what is asked of them counted. One for each, so that the Worker keeps what it has built on them. */
function counted(bindings: Environment): Environment {
  let known = wrapped.get(bindings)
  if (known) return known
  known = { ...bindings, DB: countedD1(bindings.DB) }
  for (const name of ['JOB', 'FLOW', 'EVENTS', 'DISPATCH'] as const) {
    const namespace = bindings[name]
    Reflect.set(known, name, {
      idFromName: (of: string) => namespace.idFromName(of),
      idFromString: (of: string) => namespace.idFromString(of),
      get: (id: Parameters<typeof namespace.get>[0]) => countedStub(namespace.get(id), name),
    })
  }
  wrapped.set(bindings, known)
  return known
}

function countedStub(stub: object, name: keyof Counts['objectRequests']): object {
  return new Proxy(stub, {
    get: (target, verb) => {
      const found: unknown = Reflect.get(target, verb)
      // The hand rings alarms by a call, which the platform makes as an alarm.
      if (typeof found !== 'function' || verb === 'ring') return found
      return (...input: unknown[]) => {
        counts.objectRequests[name]++
        return Reflect.apply(found, target, input) as unknown
      }
    },
  })
}

function countedD1(database: D1Database): D1Database {
  const own: Pick<D1Database, 'prepare' | 'batch'> = {
    prepare: (sql) => countedStatement(database.prepare(sql), sql),
    async batch(statements) {
      counts.d1Calls++
      const results = await database.batch<never>(statements)
      for (const { meta } of results) addMeta(meta)
      return results
    },
  }
  return own as D1Database
}

function countedStatement(statement: D1PreparedStatement, sql: string): D1PreparedStatement {
  const bind = statement.bind.bind(statement)
  statement.bind = (...values) => countedStatement(bind(...values), sql)
  const raw = statement.raw.bind(statement)
  const all = statement.all.bind(statement)
  const ask = async () => {
    counts.d1Calls++
    const result = await all<Record<string, unknown>>()
    addMeta(result.meta)
    return result
  }
  Reflect.set(statement, 'all', ask)
  Reflect.set(statement, 'run', ask)
  // Raw rows come without their counts: what only reads is asked twice.
  Reflect.set(statement, 'raw', async () => {
    if (/^\s*select/i.test(sql)) await ask()
    else counts.d1Calls++
    return raw()
  })
  return statement
}

function addMeta(meta: { rows_read?: number; rows_written?: number }): void {
  counts.d1RowsRead += meta.rows_read ?? 0
  counts.d1RowsWritten += meta.rows_written ?? 0
}

function countStorage({ storage }: DurableObjectState, name: keyof Counts['setAlarms']): void {
  const { sql } = storage
  const setAlarm = storage.setAlarm.bind(storage)
  const own = {
    exec: (text: string, ...cells: unknown[]) => {
      const cursor = sql.exec<Row>(text, ...cells)
      cursors.push(cursor)
      return cursor
    },
    get databaseSize() {
      return sql.databaseSize
    },
  }
  Object.defineProperty(storage, 'sql', { value: own })
  Object.assign(storage, {
    setAlarm: (...input: Parameters<DurableObjectStorage['setAlarm']>) => {
      counts.setAlarms[name]++
      return setAlarm(...input)
    },
  })
}

export class JobObject extends HandJobObject {
  constructor(state: DurableObjectState, bindings: Environment) {
    super(state, counted(bindings))
    countStorage(this.ctx, 'JOB')
    jobObjects.add(state.id.toString())
  }

  override ring(): Promise<void> {
    counts.alarms.JOB++
    return super.ring()
  }

  /** The platform takes the object out of memory. */
  die(): void {
    this.ctx.abort('The test wants it so.')
  }
}

export class FlowObject extends HandFlowObject {
  constructor(state: DurableObjectState, bindings: Environment) {
    super(state, counted(bindings))
    countStorage(this.ctx, 'FLOW')
  }

  override ring(): Promise<void> {
    counts.alarms.FLOW++
    return super.ring()
  }
}

export class DispatchObject extends HandDispatchObject {
  constructor(state: DurableObjectState, bindings: Environment) {
    super(state, counted(bindings))
    countStorage(this.ctx, 'DISPATCH')
  }
}

export class EventsObject extends TrueEventsObject {
  constructor(state: DurableObjectState, bindings: Environment) {
    super(state, counted(bindings))
    countStorage(this.ctx, 'EVENTS')
  }
}
