import type { Blobs } from '../../src/ports/blobs.ts'
import type { ValuesDatabase } from '../../src/ports/values-database.ts'

export type Ends = 'before' | 'after'
export type Onto = (values: ValuesDatabase) => ValuesDatabase

/** A process that dies before or after the nth thing that it does to its storage; what comes later never happens. */
export class Mortal {
  steps = 0
  readonly #diesAt: number
  readonly #ends: Ends

  constructor(diesAt: number, ends: Ends) {
    this.#diesAt = diesAt
    this.#ends = ends
  }

  get isDead(): boolean {
    return this.steps >= this.#diesAt
  }

  async step<Result>(run: () => Promise<Result>): Promise<Result> {
    this.steps += 1
    if (this.steps > this.#diesAt || (this.isDead && this.#ends === 'before')) throw new Error('dead')
    const result = await run()
    if (this.isDead) throw new Error('dead')
    return result
  }

  look<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.isDead ? Promise.reject(new Error('dead')) : run()
  }
}

export function mortalValues(mortal: Mortal, values: ValuesDatabase): ValuesDatabase {
  return {
    read: (statement) => mortal.look(() => values.read(statement)),
    commit: (statements) => mortal.step(() => values.commit(statements)),
  }
}

/** Blobs in memory, which outlives the process. */
export function mortalBlobs(mortal: Mortal, blobs: Map<string, Uint8Array>): Blobs {
  return {
    put: (key, body) =>
      mortal.step(async () => void blobs.set(key, new Uint8Array(await new Response(body).arrayBuffer()))),
    get: (key) =>
      mortal.look(() => {
        const found = blobs.get(key)
        const body = found && new Response(found.slice()).body
        return Promise.resolve(found && body ? { body, sizeBytes: found.length } : null)
      }),
    delete: (key) => mortal.step(() => Promise.resolve(void blobs.delete(key))),
    list: (prefix) =>
      mortal.look(() =>
        Promise.resolve([...blobs.keys()].filter((key) => key.startsWith(prefix)).toSorted()),
      ),
  }
}

/** A fault of a flush: it trims the WAL first, and stores the segments later. */
export function trimsEarly(values: ValuesDatabase): ValuesDatabase {
  return {
    read: (statement) => values.read(statement),
    async commit(statements) {
      const isFold = statements.some(({ sql }) => sql.startsWith('insert or replace into actors'))
      if (isFold) await values.commit([{ sql: 'delete from journal', cells: [] }])
      await values.commit(statements)
    },
  }
}
