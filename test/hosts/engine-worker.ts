import type {
  D1Database,
  DurableObjectNamespace,
  DurableObjectState,
  R2Bucket,
} from '@cloudflare/workers-types'

import { Refusal } from '../../src/lib/errors.ts'
import { JobEngine } from '../../src/monitoring/engine/service.ts'
import type { JobActors } from '../../src/ports/job-actors.ts'
import type { Transition } from '../../src/domain/transition.ts'
import type { ValuesDatabase } from '../../src/ports/values-database.ts'
import { openBlobsR2 } from '../../workers/edge/blobs-r2.ts'
import { jobActorsInObjects } from '../../workers/edge/job-actors.ts'
import { EventsObject } from '../../workers/edge/events-object.ts'
import { FlowObject } from '../../workers/edge/flow-object.ts'
import { JobObject } from '../../workers/edge/job-object.ts'
import { valuesInObject } from '../../workers/edge/values.ts'
import type { Asked, Told } from './engine-world.ts'
import { unwiredStatement, wiredRow } from './wired-values.ts'
import type { WiredValues } from './wired-values.ts'
import { SMALL_BLOB_BYTES } from '../engine/rules.ts'

export { EventsObject, FlowObject, JobObject }

interface Bindings {
  readonly DB: D1Database
  readonly FILES: R2Bucket
  readonly ENGINE: DurableObjectNamespace
  readonly VALUES: DurableObjectNamespace
  readonly JOB: DurableObjectNamespace<JobObject>
}

// Runs in workerd: the objects over HTTP, for `startEngineWorld` and `startJobObjects` on the other side.
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  async fetch(request: Request, bindings: Bindings): Promise<unknown> {
    const { pathname } = new URL(request.url)
    if (pathname === '/sql') {
      const statements = ((await request.json()) as string[]).map((text) => bindings.DB.prepare(text))
      return Response.json((await bindings.DB.batch(statements)).map(({ results }) => results))
    }
    if (pathname === '/engine') {
      const stub = bindings.ENGINE.get(bindings.ENGINE.idFromName('the engine'))
      return stub.fetch(request.url, { method: 'POST', body: await request.text() })
    }
    if (pathname === '/values') {
      const stub = bindings.VALUES.get(bindings.VALUES.idFromName('the values'))
      return stub.fetch(request.url, { method: 'POST', body: await request.text() })
    }
    const asked = (await request.json()) as Asked
    return Response.json(await answer(() => call(jobActorsInObjects(bindings.JOB, silent), asked)))
  },
}

const silent = { info() {}, warn() {}, error() {} }

/** A engine of many jobs in one object, whose clock and wake-ups are those of the test. */
export class EngineObject {
  readonly #state: DurableObjectState
  readonly #bindings: Bindings
  #engine: Promise<JobEngine> | null = null
  #now = 0
  #told: Transition[] = []

  constructor(state: DurableObjectState, bindings: Bindings) {
    this.#state = state
    this.#bindings = bindings
  }

  async fetch(request: Request): Promise<Response> {
    const asked = (await request.json()) as Asked
    this.#now = asked.now
    if (asked.method === 'die') {
      this.#state.abort('The test wants it so.')
      return Response.json(null)
    }
    const engine = await (this.#engine ??= this.#open())
    const answered = await answer(() =>
      asked.method === 'tidy' ? engine.retention.apply() : call(engine, asked),
    )
    const told = this.#told
    this.#told = []
    return Response.json({ ...answered, told })
  }

  #open(): Promise<JobEngine> {
    return JobEngine.open({
      values: valuesInObject(this.#state.storage),
      blobs: openBlobsR2(this.#bindings.FILES, silent),
      blobBytes: SMALL_BLOB_BYTES,
      clock: { now: () => this.#now, monotonic: () => this.#now },
      log: silent,
      turn: () => scheduler.wait(0),
      follow: (transitions) => Promise.resolve(void this.#told.push(...transitions)),
      freeBytes: () => Number.POSITIVE_INFINITY,
      armed() {},
    })
  }
}

/** The storage of one object as a values database; bytes travel as lists. */
export class ValuesObject {
  readonly #values: ValuesDatabase

  constructor(state: DurableObjectState) {
    this.#values = valuesInObject(state.storage)
  }

  async fetch(request: Request): Promise<Response> {
    const { read, commit } = (await request.json()) as WiredValues
    try {
      if (commit) await this.#values.commit(commit.map(unwiredStatement))
      const rows = read ? await this.#values.read(unwiredStatement(read)) : []
      return Response.json({ rows: rows.map(wiredRow) })
    } catch (error) {
      return Response.json({ failure: String(error) })
    }
  }
}

async function answer(run: () => Promise<unknown>): Promise<Told> {
  try {
    return { value: (await run()) ?? null, refusal: null, told: [] }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return {
      value: null,
      refusal: { code: error.code, detail: error.detail, errors: error.errors },
      told: [],
    }
  }
}

type Methods = Readonly<Record<string, ((...input: unknown[]) => Promise<unknown>) | undefined>>

/** `all` asks for several things at once: what arrives together is what a turn is about. */
async function call(target: JobActors, { method, input }: Asked): Promise<unknown> {
  if (method !== 'all') {
    const found = (target as unknown as Methods)[method]
    if (!found) throw new TypeError(`The engine has no method ${method}.`)
    return found.apply(target, [...input])
  }
  const each = input as readonly Asked[]
  return Promise.all(each.map((asked) => answer(() => call(target, asked))))
}
