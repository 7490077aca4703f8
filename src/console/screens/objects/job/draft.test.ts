import { expect, test } from 'bun:test'

import { draftOf, faultsOf, isBadDuration, lines, patchOf, thresholdsOf } from './draft.ts'
import type { LimitRow } from './limit-kind.ts'
import type { Job } from './job.ts'

const row = (severity: LimitRow['severity'], value: string, change: Partial<LimitRow> = {}): LimitRow => ({
  severity,
  key: 'returnValue1',
  operator: '>',
  value,
  repetition: '1',
  rest: {},
  ...change,
})

const job = {
  name: 'Level',
  parameters: {
    timeout: 'PT10M',
    grace: null,
    healsOnData: false,
    returnValue: [{ valueName: 'Level', valueUnit: 'm', valueDivisor: 1, valueDescription: '' }],
    stringValue: [],
  },
  thresholds: {
    minor: {
      mode: 'and',
      conditions: [{ key: 'returnValue1', operator: '>', value: 3, repetition: 2, inFuture: 'PT2H' }],
    },
  },
} as unknown as Job

test('an unchanged draft makes no patch, a changed one only the changed fields', () => {
  const draft = draftOf(job)
  expect(patchOf(job, draft)).toBeNull()
  expect(patchOf(job, { ...draft, name: 'Outer level' })).toEqual({ name: 'Outer level' })
  expect(patchOf(job, { ...draft, timeout: '' })).toEqual({ parameters: { timeout: null } })
})

test('a limit keeps its mode and the parts that the form does not draw; a severity that lost its rows is removed', () => {
  const [limit] = draftOf(job).limits
  expect(thresholdsOf(limit ? [{ ...limit, value: '3,5' }] : [], job.thresholds)).toEqual({
    minor: {
      mode: 'and',
      conditions: [{ key: 'returnValue1', operator: '>', value: 3.5, repetition: 2, inFuture: 'PT2H' }],
    },
  })
  expect(thresholdsOf([], job.thresholds)).toEqual({})
  expect(patchOf(job, { ...draftOf(job), limits: [] })).toEqual({ thresholds: { minor: null } })
})

test('a warning beyond major is hidden, one before it is not', () => {
  expect(faultsOf([row('major', '3.4'), row('warning', '3.6')])).toEqual([
    undefined,
    { kind: 'hidden', by: 'major', value: 3.4 },
  ])
  expect(faultsOf([row('major', '3.4'), row('warning', '2.6')])).toEqual([undefined, undefined])
  expect(
    faultsOf([row('major', '1', { operator: '<' }), row('minor', '0.5', { operator: '<=' })])[1],
  ).toBeDefined()
})

test('a limit of another value, direction, forecast or fewer repetitions is not hidden', () => {
  const other: readonly Partial<LimitRow>[] = [
    { key: 'returnValue2' },
    { operator: '<' },
    { rest: { inFuture: 'PT2H' } },
  ]
  for (const change of other)
    expect(faultsOf([row('major', '3'), row('warning', '4', change)])[1]).toBeUndefined()
  expect(faultsOf([row('major', '3', { repetition: '3' }), row('warning', '4')])[1]).toBeUndefined()
})

test('a number that a worse limit does not compare hides nothing', () => {
  const usual = {
    adaptiveValues: { source: 'forecast', forecastId: 3, level: 95, minWidth: 0, offset: 0 },
  } as const
  for (const rest of [usual, { inFuture: 'PT2H' }])
    expect(faultsOf([row('major', '0', { rest }), row('warning', '4')])).toEqual([undefined, undefined])
})

test('a limit of a number must be one', () => {
  expect(faultsOf([row('major', 'high')])).toEqual([{ kind: 'number' }])
  expect(faultsOf([row('major', 'high', { key: 'stringValue1', operator: '=' })])).toEqual([undefined])
})

test('a limit becomes a line of its own', () => {
  expect(lines(draftOf(job).limits)).toBe('minor: returnValue1 > 3 (PT2H) ×2')
})

test('an empty duration means none', () => {
  expect(['', 'PT10M', '10', 'PT0S'].map(isBadDuration)).toEqual([false, false, true, true])
})
