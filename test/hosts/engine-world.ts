import { join } from 'node:path'

import { Refusal } from '../../src/lib/errors.ts'
import type { Code, Fault } from '../../src/lib/errors.ts'
import type { JobActors } from '../../src/ports/job-actors.ts'
import type { DeliveryOutcome } from '../../src/domain/delivery.ts'
import type { Transition } from '../../src/domain/transition.ts'
import type { ValuesDatabase } from '../../src/ports/values-database.ts'
import { startWorker } from './miniflare.ts'
import { unwiredRow, wiredStatement } from './wired-values.ts'
import type { WiredRow, WiredValues } from './wired-values.ts'

/** A place where an engine lives, with the clock in the test's hand. */
export interface World {
  readonly actors: JobActors
  now: number
  wake(): Promise<void>
  ingestGap(fromAt: number, toAt: number): Promise<void>
  flush(): Promise<void>
  tidy(): Promise<void>
  settled(): Promise<boolean>
  /** The process or object dies, and another one finds what it left. */
  restart(): Promise<void>
  /** Everything the engine told so far. */
  told(): readonly Transition[]
  close(): Promise<void>
}

export interface Asked {
  readonly now: number
  readonly method: string
  readonly input: readonly unknown[]
}

export interface Told {
  readonly value: unknown
  readonly refusal: { readonly code: Code; readonly detail: string; readonly errors: readonly Fault[] } | null
  readonly told: readonly Transition[]
}

/** A engine inside a Durable Object of workerd. `restarts` says how it dies: the object alone, or workerd with it. */
export async function startEngineWorld(folder: string, restarts: 'object' | 'workerd'): Promise<World> {
  let edge = await startEdge(folder)
  const told: Transition[] = []
  const ask = async (method: string, ...input: readonly unknown[]): Promise<unknown> => {
    const response = await post(new URL('/engine', edge.url), { now: world.now, method, input })
    const answer = (await response.json()) as Told
    told.push(...answer.told)
    return valueOf(answer)
  }
  const world: World = {
    now: 0,
    actors: remote(ask),
    wake: async () => void (await ask('wake')),
    ingestGap: async (fromAt, toAt) => void (await ask('recordIngestGap', fromAt, toAt)),
    flush: async () => void (await ask('flush')),
    tidy: async () => void (await ask('tidy')),
    settled: async () => (await ask('settled')) as boolean,
    async restart() {
      if (restarts === 'object') {
        const { ok } = await post(new URL('/engine', edge.url), { now: world.now, method: 'die', input: [] })
        if (ok) throw new Error('The object lives on.')
        return
      }
      await edge.close()
      edge = await startEdge(folder)
    },
    told: () => told,
    close: () => edge.close(),
  }
  return world
}

/** The objects of jobs as they are, with real alarms, over a database that holds `tables`. */
export async function startJobObjects(
  folder: string,
): Promise<{ actors: JobActors; edge: Edge; close: () => Promise<void> }> {
  const edge = await startEdge(folder)
  const ask = async (method: string, ...input: readonly unknown[]): Promise<unknown> => {
    const response = await post(new URL('/jobs', edge.url), { now: 0, method, input })
    return valueOf((await response.json()) as Told)
  }
  return { actors: remote(ask), edge, close: () => edge.close() }
}

/** The storage of a Durable Object as the database it is to an engine. */
export async function startValuesObject(
  folder: string,
): Promise<{ values: ValuesDatabase; close: () => Promise<void> }> {
  const edge = await startEdge(folder)
  const ask = async (asked: WiredValues) => {
    const response = await post(new URL('/values', edge.url), asked)
    const { rows = [], failure } = (await response.json()) as { rows?: WiredRow[]; failure?: string }
    if (failure !== undefined) throw new Error(failure)
    return rows.map(unwiredRow)
  }
  return {
    values: {
      read: (statement) => ask({ read: wiredStatement(statement) }),
      commit: async (statements) => void (await ask({ commit: statements.map(wiredStatement) })),
    },
    close: () => edge.close(),
  }
}

type Rows = readonly Record<string, unknown>[]

export interface Edge {
  readonly url: URL
  /** Runs statements in the system database as one batch and returns the rows of each. */
  readonly batch: (statements: readonly string[]) => Promise<readonly Rows[]>
  close(): Promise<void>
}

async function startEdge(folder: string): Promise<Edge> {
  const miniflare = await startWorker('engine-worker.ts', {
    d1Databases: { DB: 'tidemark' },
    d1Persist: join(folder, 'd1'),
    r2Buckets: { FILES: 'tidemark' },
    r2Persist: join(folder, 'r2'),
    durableObjects: {
      ENGINE: { className: 'EngineObject', useSQLite: true },
      VALUES: { className: 'ValuesObject', useSQLite: true },
      JOB: { className: 'JobObject', useSQLite: true },
      FLOW: { className: 'FlowObject', useSQLite: true },
      EVENTS: { className: 'EventsObject', useSQLite: true },
    },
    bindings: { TIDEMARK_SECRET: 'a secret of this test that has 32 characters' },
    durableObjectsPersist: join(folder, 'objects'),
  })
  const url = await miniflare.ready
  return {
    url,
    async batch(statements) {
      const response = await post(new URL('/sql', url), statements)
      if (!response.ok) throw new Error(await response.text())
      return (await response.json()) as readonly Rows[]
    },
    close: () => miniflare.dispose(),
  }
}

function post(url: URL, body: unknown): Promise<Response> {
  return fetch(url, { method: 'POST', body: JSON.stringify(body), keepalive: false })
}

function valueOf({ value, refusal }: Told): unknown {
  if (refusal) throw new Refusal(refusal.code, refusal.detail, refusal.errors)
  return value
}

/** JSON takes a refusal's class from it. */
function refusalAgain(outcome: DeliveryOutcome): DeliveryOutcome {
  return 'code' in outcome ? new Refusal(outcome.code, outcome.detail, outcome.errors) : outcome
}

/** The port over any way of asking. */
function remote(ask: (method: string, ...input: readonly unknown[]) => Promise<unknown>): JobActors {
  return {
    archivesMax: 0,
    snapshotsMax: 0,
    configure: async (...input) => void (await ask('configure', ...input)),
    takeBands: async (...input) => void (await ask('takeBands', ...input)),
    deliver: (...input) => ask('deliver', ...input) as ReturnType<JobActors['deliver']>,
    deliverAll: async (...input) =>
      ((await ask('deliverAll', ...input)) as readonly DeliveryOutcome[]).map(refusalAgain),
    deliverRounds: (...input) => ask('deliverRounds', ...input) as ReturnType<JobActors['deliverRounds']>,
    snapshot: (...input) => ask('snapshot', ...input) as ReturnType<JobActors['snapshot']>,
    buckets: (...input) => ask('buckets', ...input) as ReturnType<JobActors['buckets']>,
    bucketsAll: (...input) => ask('bucketsAll', ...input) as ReturnType<JobActors['bucketsAll']>,
    samples: (...input) => ask('samples', ...input) as ReturnType<JobActors['samples']>,
    archive: () => Promise.reject(new TypeError('A copy does not travel as JSON.')),
    restore: () => Promise.reject(new TypeError('A copy does not travel as JSON.')),
    forget: async (...input) => void (await ask('forget', ...input)),
  }
}
