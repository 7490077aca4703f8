import { expect, test } from 'bun:test'

import {
  definitionOf,
  hasPreset,
  jsonOf,
  NO_FILTER,
  textOf,
  withMode,
  withPreset,
  withText,
} from './filter.ts'

test('a text and the presets make one filter definition', () => {
  const stopped = withPreset(withText(NO_FILTER, 'pump'), 'stopped', true)
  expect(JSON.parse(jsonOf(stopped))).toEqual({
    type: 'job',
    mode: 'and',
    conditions: [
      { item: 'name', operator: 'contains', expression: 'pump' },
      { item: 'execution', operator: 'stopped' },
    ],
  })
  expect(textOf(stopped)).toBe('pump')
  expect(hasPreset(stopped, 'stopped')).toBe(true)
  expect(hasPreset(stopped, 'notOk')).toBe(false)
})

test('a preset that is taken back leaves the rest', () => {
  const text = withText(NO_FILTER, 'pump')
  const both = withPreset(withPreset(text, 'notOk', true), 'stopped', true)
  expect(withPreset(withPreset(both, 'notOk', false), 'stopped', false)).toEqual(text)
  expect(jsonOf(withText(text, ''))).toBe('')
})

test('not ok keeps its meaning when any condition suffices', () => {
  const all = withPreset(NO_FILTER, 'notOk', true)
  const any = withMode(all, 'or')
  expect(any.conditions).toEqual([
    { item: 'state', operator: 'eq', expression: 'major' },
    { item: 'state', operator: 'eq', expression: 'minor' },
    { item: 'state', operator: 'eq', expression: 'warning' },
  ])
  expect(hasPreset(any, 'notOk')).toBe(true)
  expect(withMode(any, 'and')).toEqual(all)
})

test('a definition survives the address of the page; a damaged one filters nothing', () => {
  const definition = withPreset(withText(NO_FILTER, 'Ä&='), 'notOk', true)
  expect(definitionOf(jsonOf(definition))).toEqual(definition)
  expect(definitionOf('{"conditions":3}')).toEqual(NO_FILTER)
  expect(definitionOf('nonsense')).toEqual(NO_FILTER)
})
