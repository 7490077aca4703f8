import { expect, test } from 'bun:test'

import fc from 'fast-check'

import { EVENT_KINDS } from '../../ports/events.ts'
import type { EventFilter } from '../../ports/events.ts'
import { concerns } from './filter.ts'
import type { PublishedEvent } from './window.ts'

type Event = Pick<PublishedEvent, 'kind' | 'above' | 'jobId'>

const ids = fc.integer({ min: 1, max: 6 })
const above = fc.uniqueArray(ids, { minLength: 1, maxLength: 4 })
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constantFrom('state', 'alarm', 'script'), above, jobId: fc.constant(null) }),
  above.map((path): Event => ({ kind: 'value', above: path, jobId: path.at(-1) ?? 0 })),
)
const wanted: fc.Arbitrary<EventFilter> = fc.record({
  kinds: fc.uniqueArray(fc.constantFrom(...EVENT_KINDS)).map((kinds) => new Set(kinds)),
  objectIds: fc.option(fc.uniqueArray(ids).map((some) => new Set(some))),
  jobIds: fc.uniqueArray(ids).map((some) => new Set(some)),
})
const tops = fc.uniqueArray(ids).map((some) => new Set(some))
const sightOf = (readable: ReadonlySet<number>) => ({
  sees: (path: readonly number[]) => path.some((id) => readable.has(id)),
  seesScripts: false,
  rights: '',
})

test('readers get no events of objects that they may not read', () => {
  fc.assert(
    fc.property(event, wanted, tops, (told, asked, readable) => {
      const isRead = told.above.some((id) => readable.has(id))
      if (!isRead) expect(concerns(told, asked, sightOf(readable))).toBe(false)
    }),
  )
})

test('readers get events of readable objects whose kind, object or job they asked for', () => {
  fc.assert(
    fc.property(event, wanted, (told, asked) => {
      const isOfJob = told.kind === 'value' && asked.jobIds.has(told.jobId ?? 0)
      const isBelow =
        told.kind === 'script'
          ? asked.objectIds === null
          : told.kind !== 'value' && told.above.some((id) => asked.objectIds?.has(id) ?? true)
      const everything = { sees: () => true, seesScripts: true, rights: '' }
      expect(concerns(told, asked, everything)).toBe(
        asked.kinds.has(told.kind as never) && (isOfJob || isBelow),
      )
    }),
  )
})

test('a gap concerns all readers, a gap of a job its readers, a mark no reader', () => {
  const nothing = { sees: () => false, seesScripts: false, rights: '' }
  const asked = (...jobIds: number[]): EventFilter => ({
    kinds: new Set(),
    objectIds: null,
    jobIds: new Set(jobIds),
  })
  const gap = (jobId: number | null): Event => ({ kind: 'gap', above: [], jobId })
  expect(concerns(gap(null), asked(), nothing)).toBe(true)
  expect(concerns(gap(4), asked(4), nothing)).toBe(true)
  expect(concerns(gap(4), asked(5), nothing)).toBe(false)
  const everything = { sees: () => true, seesScripts: true, rights: '' }
  const all = { ...asked(4), kinds: new Set(EVENT_KINDS) }
  expect(concerns({ kind: 'mark', above: [], jobId: null }, all, everything)).toBe(false)
})
