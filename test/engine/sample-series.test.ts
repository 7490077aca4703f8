import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { Refusal } from '../../src/lib/errors.ts'
import { step } from '../../src/monitoring/jobs/actor.ts'
import type { ActorState, Event } from '../../src/monitoring/jobs/actor.ts'
import { decodeEntries, encodeEntry, rowsOf } from '../../src/monitoring/engine/wal/entry.ts'
import { Tail } from '../../src/monitoring/engine/head/tail.ts'
import type { SampleSeries, Value } from '../../src/domain/delivery.ts'
import type { JobRules } from '../../src/domain/job-rules.ts'
import type { Transition } from '../../src/domain/transition.ts'
import { happen, histories } from './acts.ts'
import type { Act } from './acts.ts'
import { BEGIN_AT, deliveryWith, MINUTE_MS } from './rules.ts'

const RUNS = Number(process.env['TIDEMARK_TEST_RUNS'] ?? 2_000)
const FUTURE_MS = 5 * MINUTE_MS
const PAST_MS = 30 * 86_400_000

/** Samples of one value with instants relative to the clock: mostly forwards, some late, some past the accepted span. */
const runs = fc.constantFrom('returnValue1', 'returnValue2', 'stringValue1', 'returnValue3').chain((key) => {
  const value: fc.Arbitrary<Value> = key.startsWith('string')
    ? fc.constantFrom('a', 'b', 'ab', '')
    : fc.constantFrom(0, 1, 2, 3, 1_500, 2_500)
  const offsetMs = fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: -3_000, max: 3_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(FUTURE_MS, FUTURE_MS + 1, -PAST_MS, -PAST_MS - 1) },
  )
  const samples = fc.array(fc.tuple(offsetMs, value), { minLength: 1, maxLength: 12 })
  return fc.tuple(samples, fc.boolean()).map(([all, sorts]) => {
    const inOrder = sorts ? all.toSorted(([one], [other]) => one - other) : all
    return { key, offsets: inOrder.map(([offset]) => offset), values: inOrder.map(([, one]) => one) }
  })
})

/** Everything that happened to a job, as anybody could see it. */
class Life {
  state: ActorState
  readonly transitions: Transition[] = []
  readonly tail = new Tail()

  constructor(rules: JobRules) {
    this.state = step(null, { kind: 'configure', jobId: 1, rules }, BEGIN_AT).state
  }

  /** The result of the event in a series: null for other events, the refusal's code where it was refused. */
  tell(event: Event, now: number) {
    try {
      const { state, samples, run, transitions } = step(this.state, event, now)
      this.state = state
      for (const sample of samples) this.tail.add(sample.key, sample.at, sample.value)
      if (run) this.tail.addSeries(run)
      this.transitions.push(...transitions)
      return { late: run?.late ?? 0, refused: run?.refused ?? [], kept: run?.at.length ?? 0 }
    } catch (error) {
      if (error instanceof Refusal) return { code: error.code, errors: error.errors }
      throw error
    }
  }

  /** Each sample of a run as a delivery of its own, and what a run would have answered. */
  tellOneByOne({ key, at, values }: SampleSeries, now: number) {
    const refused: { index: number; code: string }[] = []
    let late = 0
    for (const [index, timestampAt] of at.entries()) {
      const delivery = deliveryWith({ values: { [key]: values[index] ?? 0 }, timestampAt })
      try {
        const result = step(this.state, { kind: 'deliver', delivery }, now)
        this.state = result.state
        for (const sample of result.samples) this.tail.add(sample.key, sample.at, sample.value)
        this.transitions.push(...result.transitions)
        late += Number(result.late)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        refused.push({ index, code: error.code })
      }
    }
    return { late, refused, kept: at.length - refused.length }
  }

  seen() {
    const series = ['returnValue1', 'returnValue2', 'stringValue1', 'errorCode'].map((key) =>
      this.tail.series(key),
    )
    return { state: this.state, transitions: this.transitions, series, size: this.tail.size }
  }
}

const scenes = histories(12).chain(({ rules, acts }) =>
  fc.record({
    rules: fc.constant(rules),
    acts: fc.constant(acts),
    runs: fc.array(runs, { minLength: 1, maxLength: 6 }),
  }),
)

describe('a run of samples', () => {
  test('has the effect of a delivery of each sample in order', () => {
    let kept = 0
    let late = 0
    let changes = 0
    fc.assert(
      fc.property(scenes, ({ rules, acts, runs: all }) => {
        const whole = new Life(rules)
        const single = new Life(rules)
        let now = BEGIN_AT
        const left = [...acts]
        for (const one of all) {
          for (const act of left.splice(0, 2)) now = liveThrough(act, now, [whole, single])
          const run: SampleSeries = {
            key: one.key,
            at: one.offsets.map((offset) => now + offset),
            values: one.values,
          }
          const before = whole.transitions.length
          const answer = whole.tell({ kind: 'run', run }, now)
          const answers = single.tellOneByOne(run, now)
          if ('code' in answer) {
            expect({ refused: run.at.length, code: answers.refused[0]?.code }).toEqual({
              refused: answers.refused.length,
              code: answer.code,
            })
          } else {
            expect(answer).toEqual(answers as typeof answer)
            kept += answer.kept
            late += answer.late
          }
          changes += whole.transitions.length - before
          expect(whole.seen()).toEqual(single.seen())
        }
      }),
      { numRuns: RUNS, includeErrorInReport: true },
    )
    // The comparison had enough cases.
    expect(Math.min(kept, late, changes)).toBeGreaterThan(RUNS / 20)
  })

  test('is decoded from the WAL unchanged, with the same effect', () => {
    fc.assert(
      fc.property(scenes, ({ rules, runs: all }) => {
        const live = new Life(rules)
        const replayed = new Life(rules)
        const rows: string[] = []
        for (const one of all) {
          const run: SampleSeries = {
            key: one.key,
            at: one.offsets.map((offset) => BEGIN_AT + offset),
            values: one.values,
          }
          const before = live.state
          let result
          try {
            result = step(before, { kind: 'run', run }, BEGIN_AT)
          } catch {
            continue
          }
          live.tell({ kind: 'run', run }, BEGIN_AT)
          if (!result.run) throw new Error('A run was kept without its samples.')
          rows.push(
            encodeEntry({ jobId: 1, at: result.state.nowAt, event: { kind: 'run', run: result.run } }),
          )
        }
        for (const { at, event } of decodeEntries(`[${rows.join(',')}]`)) {
          if (event.kind === 'forget' || event.kind === 'round')
            throw new Error('Nothing of this was written.')
          replayed.tell(event, at)
        }
        expect(replayed.seen()).toEqual(live.seen())
      }),
      { numRuns: RUNS, includeErrorInReport: true },
    )
  })

  test('with regular timestamps uses no WAL space for them', () => {
    const run = { key: 'returnValue1', at: [10, 20, 30, 40, 50], values: [1, 2, 3, 4, 5] }
    const text = encodeEntry({ jobId: 7, at: 99, event: { kind: 'run', run } })
    expect(text).toBe('[7,99,"r","returnValue1",[10,10],[1,2,3,4,5]]')
    expect(decodeEntries(`[${text}]`)).toEqual([{ jobId: 7, at: 99, event: { kind: 'run', run } }])
  })

  test('and single deliveries keep minus zero in the WAL, unlike plain JSON', () => {
    const run = { key: 'returnValue1', at: [10, 20], values: [-0, 0] }
    const values = { returnValue1: -0, returnValue2: 0, stringValue1: '-0' }
    for (const event of [
      { kind: 'run', run } as const,
      { kind: 'deliver', delivery: deliveryWith({ values }) } as const,
    ]) {
      const entry = { jobId: 7, at: 99, event }
      expect(decodeEntries(`[${encodeEntry(entry)}]`)).toStrictEqual([entry])
    }
  })
})

describe('WAL rows', () => {
  const lengthsOf = (rows: readonly string[]) => rows.map((row) => (JSON.parse(row) as unknown[]).length)

  test('have at most 512 Ki characters, or one longer entry', () => {
    const half = JSON.stringify('x'.repeat(256 * 1024 - 2))
    const most = JSON.stringify('x'.repeat(600_000))
    expect(lengthsOf(rowsOf([half, half]))).toEqual([2])
    expect(lengthsOf(rowsOf([half, half, '1']))).toEqual([2, 1])
    expect(lengthsOf(rowsOf(['1', '2', most, '3', '4']))).toEqual([2, 1, 2])
    expect(rowsOf(['1', '"a"'])).toEqual(['[1,"a"]'])
  })
})

/** An event between series, for both jobs alike. Returns the clock after it. */
function liveThrough(act: Act, now: number, lives: readonly Life[]): number {
  const [first] = lives
  const { deadline = null, rules } = first?.state ?? {}
  const happening = happen(act, { now, deadlineAt: deadline?.at ?? null, revision: rules?.revision ?? 0 })
  for (const life of lives) {
    if (happening.kind === 'configure') life.tell({ ...happening, jobId: 1 }, happening.now)
    else if (happening.kind === 'ingest gap') life.tell({ ...happening, toAt: happening.now }, happening.now)
    else life.tell(happening, happening.now)
  }
  return happening.now
}
