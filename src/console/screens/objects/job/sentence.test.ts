import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../../language/t.ts'
import { words as shellWords } from '../../../language/words.ts'
import { valuesOf } from './job.ts'
import type { Job } from './job.ts'
import { jobSentence, worstCrossed } from './sentence.ts'
import { words } from './words.ts'

const NOW = Date.parse('2026-11-25T14:00:00Z')

beforeAll(async () => {
  await loadWords(shellWords)
  await loadWords(words)
})

function job(change: Partial<Job>): Job {
  const returnValue = [
    { valueName: 'Level', valueUnit: 'm', valueDivisor: 1, valuePrecision: 2, valueDescription: '' },
  ]
  return {
    parameters: { returnValue, stringValue: [] },
    values: { returnValue1: { value: 3.12, rawValue: 3.12, timestamp: '2026-11-25T13:59:00Z' } },
    thresholds: null,
    currentState: 'ok',
    errorCode: 0,
    message: null,
    stopped: false,
    stateSince: '2026-11-25T13:20:00Z',
    lastReceivedAt: '2026-11-25T13:59:00Z',
    nextTimeoutAt: '2026-11-25T14:05:00Z',
    ...change,
  } as unknown as Job
}

const said = (change: Partial<Job>): string => {
  const { fact, since } = jobSentence(job(change), NOW)
  return `${fact} ${since}`.replaceAll('\u00a0', ' ').trim()
}

test('a crossed limit is named with the value and the time', () => {
  const condition = { key: 'returnValue1', operator: '>', value: 3, repetition: 1 }
  const thresholds = { minor: { mode: 'or', conditions: [condition] } } as unknown as Job['thresholds']
  expect(said({ thresholds, currentState: 'minor' })).toBe('Level 3.12 m is above Minor 3 m for 40 min.')
})

test('a limit by usual values is crossed outside of its bounds, and its number is never named', () => {
  const worst = (operator: string, lower: number | null, upper: number | null, side?: string) => {
    const condition = { key: 'returnValue1', operator, value: 0, adaptiveValues: { source: 'history', side } }
    const unusual = job({
      thresholds: { minor: { mode: 'or', conditions: [condition] } } as unknown as Job['thresholds'],
      bands: [{ severity: 'minor', condition: 0, lower, upper }] as unknown as Job['bands'],
      message: 'Level is 3.12; usual are values from 1 to 3',
      currentState: 'minor',
    })
    expect(jobSentence(unusual, NOW).fact).toBe('Level is 3.12; usual are values from 1 to 3')
    return valuesOf(unusual).map((value) => worstCrossed(unusual, value))[0]
  }
  expect(worst('<>', 1, 3)).toBe('minor')
  expect(worst('<>', 4, 6)).toBe('minor')
  expect(worst('<>', 1, 4)).toBeNull()
  expect(worst('<>', null, null)).toBeNull()
  expect(worst('<', 1, 3)).toBeNull()
  expect(worst('>', 4, 6)).toBeNull()
  expect(worst('<>', 1, 3, 'above')).toBe('minor')
})

test('silence counts from the last value, not from the delivery of error code 5', () => {
  expect(said({ errorCode: 5, currentState: 'major', lastReceivedAt: '2026-11-25T14:00:00Z' })).toBe(
    'Silent for 1 min.',
  )
})

test('a message of the sender goes before its error code', () => {
  expect(said({ errorCode: 3, currentState: 'minor', message: 'disk full' })).toBe('disk full for 40 min.')
  expect(said({ errorCode: 3, currentState: 'minor' })).toBe('The sender reports error code 3 for 40 min.')
})

test('a stopped job, a late one and one without deliveries say so', () => {
  expect(said({ stopped: true })).toBe('Stopped: deliveries are refused.')
  expect(said({ nextTimeoutAt: '2026-11-25T13:59:30Z' })).toStartWith('The delivery is late.')
  expect(said({ lastReceivedAt: null })).toBe('Nothing has been delivered yet.')
})
