import { expect, test } from 'bun:test'

import { operatorsOf } from './draft.ts'
import {
  kindOf,
  kindsOf,
  operatorsOfKind,
  sideOf,
  withinOf,
  withKey,
  withKind,
  withLearned,
  withSide,
  withWithin,
} from './limit-kind.ts'
import type { LimitRow } from './limit-kind.ts'

const limit: LimitRow = {
  severity: 'minor',
  key: 'returnValue1',
  operator: '=',
  value: '90',
  repetition: '2',
  rest: { recovery: { value: 80, repetition: 1 } },
}
const forecast = { source: 'forecast', forecastId: 7, level: 80, minWidth: 0, offset: 1 } as const
const ofForecast: LimitRow = { ...limit, operator: '<>', value: '0', rest: { adaptiveValues: forecast } }

test('a limit looks ahead with an operator that a prediction can meet, and keeps its number', () => {
  const ahead = withKind(limit, 'ahead')
  expect([kindOf(ahead), ahead.operator, ahead.value, withinOf(ahead)]).toEqual(['ahead', '>', '90', 'PT4H'])
  expect(ahead.rest).toEqual({ ...limit.rest, inFuture: 'PT4H', adaptiveValues: null })
  expect(operatorsOfKind(ahead, operatorsOf(ahead.key))).toEqual(['>', '>=', '<', '<='])
  expect(withKind({ ...limit, operator: '<=' }, 'ahead').operator).toBe('<=')
  expect(withWithin(ahead, 'P1D').rest.inFuture).toBe('P1D')
})

test('a look-ahead by a forecast keeps its other fields', () => {
  const inFuture = { within: 'PT2H', method: 'forecast', forecastId: 3, bound: 'upper' } as const
  const row = { ...limit, rest: { inFuture } }
  expect(withinOf(row)).toBe('PT2H')
  expect(withWithin(row, 'P1D').rest.inFuture).toEqual({ ...inFuture, within: 'P1D' })
})

test('a limit by usual values has no number, and loses these when it compares with one', () => {
  const usual = withKind(withKind(limit, 'ahead'), 'usual')
  expect([kindOf(usual), usual.operator, usual.value]).toEqual(['usual', '<>', '0'])
  expect(usual.rest).toMatchObject({
    inFuture: null,
    adaptiveValues: { source: 'history', season: 'week', factor: 3 },
  })
  expect(withLearned(usual, { season: 'day', factor: 4 }).rest.adaptiveValues).toMatchObject({
    season: 'day',
    factor: 4,
    window: 'P28D',
  })
  const plain = withKind(usual, 'number')
  expect([kindOf(plain), plain.operator, plain.value]).toEqual(['number', '>', ''])
  expect(withKind(limit, 'number')).toBe(limit)
})

test('the side of usual values is the side of the limit, else of its operator', () => {
  expect(sideOf({ operator: '>=' })).toBe('above')
  expect(sideOf({ operator: '<' })).toBe('below')
  expect(sideOf({ operator: '<>', adaptiveValues: { ...forecast, side: 'above' } })).toBe('above')
  const below = withSide({ ...ofForecast, rest: { adaptiveValues: { ...forecast, side: 'above' } } }, 'below')
  expect([below.operator, below.rest.adaptiveValues]).toEqual(['<', forecast])
  expect(withSide(limit, 'below')).toBe(limit)
})

test('a forecast is offered to its own limits alone, and texts and error codes compare as they come', () => {
  expect(kindsOf(limit)).toEqual(['number', 'ahead', 'usual'])
  expect(kindsOf(ofForecast)).toEqual(['number', 'ahead', 'usual', 'forecast'])
  expect(kindsOf({ ...limit, key: 'errorCode' })).toEqual(['number'])
  expect(kindsOf({ ...limit, key: 'stringValue1' })).toEqual(['number'])
  expect(withLearned(ofForecast, { factor: 2 })).toBe(ofForecast)
})

test('a limit of another number stays as it is, one of a text compares as it comes', () => {
  expect(withKey(ofForecast, 'returnValue2', operatorsOf('returnValue2'))).toEqual({
    ...ofForecast,
    key: 'returnValue2',
  })
  const text = withKey(ofForecast, 'stringValue1', operatorsOf('stringValue1'))
  expect([kindOf(text), text.operator, text.value]).toEqual(['number', '=', ''])
})
