import { describe, expect, test } from 'bun:test'

import { definition } from './definition.ts'
import { faultsOfValues, resolveParameters, substituted } from './parameters.ts'
import type { Defaults, Values } from './parameters.ts'

const { parameters } = definition.parse({
  parameters: [
    { name: 'region', type: 'string' },
    { name: 'site', type: 'number', default: 1 },
    { name: 'line', type: 'number', multi: true },
    { name: 'shift', type: 'enum', values: [{ value: 'day' }, { value: 'night' }] },
    { name: 'secret', type: 'string', hidden: true, default: 'x' },
    { name: 'day', type: 'date' },
    { name: 'constructor', type: 'string' },
  ],
})
const of = (given: Values, defaults: Defaults) => resolveParameters({ parameters }, given, defaults)

describe('the value of a parameter', () => {
  const near = { region: 'near', site: 2 }
  const root = { region: 'root', line: [1, 2], shift: 'night' }
  const rows: [title: string, given: Values, defaults: Defaults, name: string, expected: unknown][] = [
    ['nothing anywhere', {}, [], 'region', null],
    ['the nearest group', {}, [near, root], 'region', 'near'],
    ['a group further up', {}, [near, root], 'line', [1, 2]],
    ['the default of the dashboard before groups', {}, [near, root], 'site', 1],
    ['the request before all', { region: 'asked' }, [near, root], 'region', 'asked'],
    ['the request before the default', { site: 9 }, [near], 'site', 9],
    ['null clears a default', { site: null }, [near], 'site', null],
    ['null clears a value of a group', { region: null }, [near], 'region', null],
    ['null in a group is skipped', {}, [{ region: null }, root], 'region', 'root'],
    ['an enum from a group', {}, [near, root], 'shift', 'night'],
    ['a wrong type falls through', {}, [{ region: 5 }, root], 'region', 'root'],
    ['a wrong enum falls through to nothing', {}, [{ shift: 'noon' }], 'shift', null],
    ['one value for a list', {}, [{ line: 7 }], 'line', 7],
  ]
  for (const [title, given, defaults, name, expected] of rows)
    test(title, () => expect(of(given, defaults).values[name] ?? null).toEqual(expected as never))

  test('of a wrong type in a group is a problem', () => {
    expect(of({}, [{ region: 5 }]).problems).toEqual([
      { name: 'region', message: 'a default of a group is not of the type string' },
    ])
  })

  test('is not one that objects inherit', () => {
    expect(of({}, [near]).problems).toEqual([])
  })

  test('has no names that the dashboard does not declare', () => {
    expect(Object.keys(of({}, [{ other: 1 }]).values)).toEqual(parameters.map(({ name }) => name))
  })
})

test('requests give values of declared, shown parameters of their types', () => {
  const rows: [Values, string[]][] = [
    [{ region: 'north', site: 2, line: [1], day: '2026-03-01' }, []],
    [{ other: 1 }, ['other']],
    [{ secret: 'y' }, ['secret']],
    [{ site: 'two' }, ['site']],
    [{ site: [2] }, ['site']],
    [{ shift: 'noon' }, ['shift']],
    [{ day: 'soon' }, ['day']],
    [{ site: null }, []],
  ]
  for (const [given, names] of rows)
    expect(faultsOfValues({ parameters }, given).map(({ name }) => name)).toEqual(names)
})

test('a whole text names a parameter, and a part of one does not', () => {
  const values = { region: 'north', line: [1, 2] }
  expect(
    substituted(
      { a: '${region}', b: '${line}', c: 'in ${region}', d: 5, e: '${none}', f: '${constructor}' },
      values,
    ),
  ).toEqual({ a: 'north', b: [1, 2], c: 'in ${region}', d: 5, e: null, f: null })
})
