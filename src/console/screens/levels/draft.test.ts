import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { slcDraftOf, slcFault, slcPatchOf, termsSentence, weekMinutes } from './slc-draft.ts'
import type { Slc } from './slc-draft.ts'
import { sloDraftOf, sloFault, sloPatchOf } from './slo-draft.ts'
import type { Slo } from './rules.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

const common = { name: 'Shop', parentId: 1, isTemplate: false, properties: [{ id: 4, key: 'a', value: 'b' }] }
const slo = {
  ...common,
  subType: 'standard',
  deviceId: 0,
  stateOperation: 'count',
  pushState: 'any',
  sortMode: 'link',
  major: 2,
  minor: 1,
  warning: 0,
  minorMinor: 0,
  minorWarning: 0,
  warningWarning: 0,
  ignoreMaintenance: false,
  isReason: false,
  childrenFilter: null,
  parameters: { children: 3, costsPerMin: 18, currency: 'EUR', riskFactor: 1 },
} as unknown as Slo
const slc = {
  ...common,
  subType: 'sla',
  duration: 'month',
  limit: 99.5,
  target: null,
  warnAt: 80,
  activeTime: null,
} as unknown as Slc

test('a patch has only what was changed; an empty counter is 0', () => {
  const draft = sloDraftOf(slo)
  expect(sloPatchOf(slo, draft)).toEqual({})
  expect(sloPatchOf(slo, { ...draft, costsPerMin: '18,5', name: 'Till' })).toEqual({
    name: 'Till',
    parameters: { costsPerMin: 18.5 },
  })
  expect(sloPatchOf(slo, { ...draft, counters: { ...draft.counters, major: '' } })).toMatchObject({
    major: 0,
    minor: 1,
  })
  expect(slcPatchOf(slc, { ...slcDraftOf(slc), target: '99,9' })).toEqual({ target: 99.9 })
  const targeted = { ...slc, target: 99.9 }
  expect(slcPatchOf(targeted, { ...slcDraftOf(targeted), target: '' })).toEqual({ target: null })
})

test('a draft with a text in place of a number, without a name or without days cannot be saved', () => {
  const draft = sloDraftOf(slo)
  expect(sloFault(draft)).toBeUndefined()
  expect(sloFault({ ...draft, costsPerMin: 'much' })).toBe('Write a number')
  expect(sloFault({ ...draft, counters: { ...draft.counters, minor: 'two' } })).toBe('Write a number')
  const terms = slcDraftOf(slc)
  expect(slcFault(terms)).toBeUndefined()
  expect(slcFault({ ...terms, name: ' ' })).toBe('Give it a name')
  expect(slcFault({ ...terms, activeTime: [{ days: [], begin: '08:00', end: '20:00' }] })).toBe(
    'Choose the days of each row of service hours',
  )
})

test('the terms say how much a period may lose, in the service hours alone', () => {
  const draft = slcDraftOf(slc)
  expect(termsSentence('month', draft)).toContain('3\u00a0hr 36\u00a0min')
  const week = { days: ['monday', 'tuesday'], begin: '08:00', end: '20:00' } as const
  expect(weekMinutes(null)).toBe(10_080)
  expect(weekMinutes([week])).toBe(1_440)
  expect(weekMinutes([week, { ...week, end: '24:00' }])).toBe(1_920)
  expect(termsSentence('week', { ...draft, activeTime: [week] })).toContain('7\u00a0min')
  expect(termsSentence('week', { ...draft, limit: '' })).toBe('')
})
