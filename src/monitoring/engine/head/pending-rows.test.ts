import { expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { BEGIN_AT, deliveryWith, rulesWith } from '../../../../test/engine/rules.ts'
import { step } from '../../jobs/actor.ts'
import type { Step } from '../../jobs/actor.ts'
import { Job } from './job.ts'
import type { AppendedRows } from './job.ts'
import { PendingRowLists } from './pending-rows.ts'
import { Tail } from './tail.ts'

const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 2_000)

/** A durable job with values for both keys, after which lone ones are routine. */
function jobWith(jobId: number): Job {
  const rules = rulesWith({ divisors: [1, 1] })
  const { state } = step(null, { kind: 'configure', jobId, rules }, BEGIN_AT)
  return new Job(step(state, deliverOf({ returnValue1: 0, returnValue2: 0 }), BEGIN_AT).state, 1)
}

function deliverOf(values: Record<string, number>) {
  return { kind: 'deliver', delivery: deliveryWith({ values }) } as const
}

/** Jobs with pending samples, beside the same jobs that take each sample as soon as it is durable. */
class Both {
  now = BEGIN_AT
  walId = 1
  appended = 0
  readonly jobs = [1, 2, 3, 4, 5].map(jobWith)
  readonly pending = new PendingRowLists()
  readonly #eager = [1, 2, 3, 4, 5].map(jobWith)

  /** A row, or values that came alone in one millisecond, are appended and then durable; `meanwhile` runs in between. */
  round({ key, places, afterMs, isAlone }: Arriving, meanwhile = () => {}): void {
    this.now += afterMs
    const appended = this.#append(this.jobs, key, places)
    const twin = this.#append(this.#eager, key, places)
    expect(appended.jobs.map(({ id }) => id)).toEqual(twin.jobs.map(({ id }) => id))
    expect([appended.at, appended.values]).toEqual([twin.at, twin.values])
    meanwhile()
    this.walId++
    this.appended += appended.jobs.length
    if (isAlone) this.pending.pass(appended, this.walId)
    else this.pending.add(appended, this.walId)
    for (const [index, job] of twin.jobs.entries()) {
      const eager = new PendingRowLists()
      const [at = 0, value = 0] = [twin.at[index], twin.values[index]]
      eager.add({ ...twin, jobs: [job], at: [at], values: [value] }, this.walId)
      for (const list of eager.lists()) list.flushToJobs()
    }
  }

  /** An event with a value, which is durable at once or after a row that came before it. */
  event(place: number, key: string, behind: readonly number[] | null): void {
    const pairs = [this.jobs, this.#eager].flatMap((jobs) => jobs[place] ?? [])
    let results: Step[] = []
    const begin = () => {
      this.now += 500
      const values = { [key]: this.now % 3 }
      results = pairs.map((job) => step(job.currentState(), deliverOf(values), this.now))
      for (const [index, job] of pairs.entries()) job.accept(results[index]?.state ?? job.currentState())
    }
    if (behind)
      this.round({ key: 'returnValue1', places: behind, afterMs: 1_000, isAlone: this.now % 2 === 0 }, begin)
    else begin()
    this.walId++
    for (const [index, job] of pairs.entries())
      if (results[index]) job.markDurable(results[index], this.walId)
  }

  flush(place: number): void {
    this.expectSame(place, tail)
    this.jobs[place]?.markFlushed()
    this.#eager[place]?.markFlushed()
  }

  expectSame(place: number, ...looks: readonly Look[]): void {
    for (const look of looks) expect(look(this.jobs[place])).toEqual(look(this.#eager[place]))
  }

  #append(jobs: readonly Job[], key: string, places: readonly number[]): AppendedRows {
    const appended = { key, now: this.now, jobs: [] as Job[], at: [] as number[], values: [] as number[] }
    for (const [index, place] of places.entries()) {
      const job = jobs[place]
      const value = this.walId + index / 10
      const at = job?.append(key, value, { timestampAt: null, errorCode: null, now: this.now }) ?? null
      if (!job || at === null) continue
      appended.jobs.push(job)
      appended.at.push(at)
      appended.values.push(value)
    }
    return appended
  }
}

type Arriving = {
  readonly key: string
  readonly places: readonly number[]
  readonly afterMs: number
  readonly isAlone: boolean
}

type Look = (job: Job | undefined) => unknown
const tail: Look = (job) => {
  const all = job?.flushed().tail
  return all?.keys().map((key) => [key, all.series(key)])
}
const durable: Look = (job) => job?.flushed().durable
const state: Look = (job) => job?.currentState()
/** These flush nothing. */
const bare: Look = (job) => [job?.isFlushed, job?.takenSize]
const row: Look = (job) => job?.flushed().walId
const ALL = [state, durable, tail, row, bare]

const round = fc.record({
  kind: fc.constant('round' as const),
  key: fc.constantFrom('returnValue1', 'returnValue1', 'returnValue1', 'returnValue2'),
  places: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom([0, 1, 2], [0, 1, 2], [3, 4]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom([2, 1, 0], [0, 1], [2, 3], [3, 3, 4], [], [0, 1, 2, 3, 4]),
    },
  ),
  afterMs: fc.constantFrom(0, 1_000, 1_000),
  isAlone: fc.boolean(),
  times: fc.constantFrom(1, 2, 40),
})
const deed = fc.oneof(
  { weight: 8, arbitrary: round },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('state', 'durable', 'tail', 'row', 'flush'),
      place: fc.nat(4),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      place: fc.nat(4),
      behind: fc.constantFrom(null, [0, 1, 2], [3, 4]),
    }),
  },
)

test('jobs with pending samples equal jobs that take each sample at once, whenever they are read', () => {
  let appended = 0
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 25 }), (deeds) => {
      const both = new Both()
      for (const one of deeds) {
        if (one.kind === 'round') for (let n = 0; n < one.times; n++) both.round(one)
        else if (one.kind === 'event') both.event(one.place, 'returnValue2', one.behind)
        else if (one.kind === 'flush') both.flush(one.place)
        else both.expectSame(one.place, { state, durable, tail, row }[one.kind])
      }
      for (const place of both.jobs.keys()) both.expectSame(place, ...ALL)
      expect(both.pending.lists()).toEqual([])
      appended += both.appended
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  )
  expect(appended).toBeGreaterThan(RUNS)
})

test('pending rows are flushed once, and a row with another key has a list of its own', () => {
  const jobs = [jobWith(1), jobWith(2)]
  const pending = new PendingRowLists()
  pending.add(rowFor(jobs), 2)
  const [list] = pending.lists()
  pending.add({ ...rowFor(jobs), key: 'returnValue2' }, 3)
  expect(jobs.map(({ takenSize }) => takenSize)).toEqual([1, 1])
  list?.flushToJobs()
  expect(jobs.map(({ takenSize }) => takenSize)).toEqual([1, 1])
  expect(jobs.map((job) => job.flushed().tail?.keys())).toEqual(
    jobs.map(() => ['returnValue1', 'returnValue2']),
  )
})

test('a list keeps 31 rows pending and flushes 32', () => {
  const jobs = [jobWith(1), jobWith(2)]
  const pending = new PendingRowLists()
  for (let id = 1; id <= 31; id++) pending.add(rowFor(jobs), id)
  expect([jobs[0]?.takenSize, pending.lists().length]).toEqual([0, 1])
  pending.add(rowFor(jobs), 32)
  expect([jobs[0]?.takenSize, pending.lists().length]).toEqual([32, 0])
})

test('a list keeps 65,535 values pending and flushes one more', () => {
  const jobs = Array.from({ length: 65_536 }, (_, index) => jobWith(index + 1))
  const pending = new PendingRowLists()
  pending.add(rowFor(jobs.slice(1)), 2)
  expect([jobs[1]?.takenSize, pending.lists().length]).toEqual([0, 1])
  expect(jobs[1]?.flushed().tail?.size).toBe(1)
  pending.add(rowFor(jobs), 3)
  expect([jobs[0]?.takenSize, jobs[1]?.takenSize, pending.lists().length]).toEqual([1, 2, 0])
})

test('a tail is the same after rows and after single values, also where they are late', () => {
  const at = fc.array(fc.nat(9), { maxLength: 12 })
  fc.assert(
    fc.property(fc.array(at, { maxLength: 5 }), (parts) => {
      const [some, others] = [new Tail(), new Tail()]
      for (const [part, instants] of parts.entries()) {
        const key = part % 2 === 0 ? 'returnValue1' : 'returnValue2'
        const values = instants.map((_, index) => part * 100 + index)
        const rounds = instants.map((one, index) => ({ at: [0, one], values: [-1, values[index] ?? 0] }))
        if (part < 3) some.addRows(key, rounds, 1)
        else instants.forEach((one, index) => some.add(key, one, values[index] ?? 0))
        instants.forEach((one, index) => others.add(key, one, values[index] ?? 0))
      }
      for (const key of ['returnValue1', 'returnValue2']) expect(some.series(key)).toEqual(others.series(key))
      expect(some.size).toBe(others.size)
    }),
  )
})

/** A row for these jobs. */
function rowFor(jobs: readonly Job[]): AppendedRows {
  const at = jobs.map(() => BEGIN_AT)
  return { key: 'returnValue1', now: BEGIN_AT, jobs, at, values: jobs.map(() => 1) }
}
