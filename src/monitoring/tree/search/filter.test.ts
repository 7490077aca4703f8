import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { Refusal } from '../../../lib/errors.ts'
import { parseFilter } from './filter.ts'
import { ITEMS, OPERATORS } from './items.ts'

const parseOne = (condition: object) => parseFilter(JSON.stringify({ conditions: [condition] })).conditions[0]

/** The pointers of a filter's refusal, without their common prefix. */
function faultsOf(filter: unknown): string[] {
  try {
    parseFilter(typeof filter === 'string' ? filter : JSON.stringify(filter))
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    expect(error.code).toBe('invalid')
    return error.errors.map(({ pointer }) => pointer.replace('?filterDefinition', ''))
  }
}

describe('parseFilter', () => {
  test('takes the specification’s example', () => {
    const conditions = [{ item: 'property_key', operator: 'eq', expression: '25', propertyKey: 'bsk_id' }]
    expect(parseFilter(JSON.stringify({ type: 'job', mode: 'and', conditions }))).toEqual({
      type: 'job',
      mode: 'and',
      conditions: [
        { test: { kind: 'property', key: 'bsk_id', match: { by: 'eq', text: '25' } }, negated: false },
      ],
    })
  })

  test('an empty filter asks for everything', () => {
    expect(parseFilter('{}')).toEqual({ type: null, mode: 'and', conditions: [] })
    expect(parseFilter('{"type":null}').type).toBeNull()
  })

  const rows: [object, object][] = [
    [
      { item: 'id', operator: 'ne', expression: '7' },
      { test: { kind: 'id', relation: 'eq', number: 7 }, negated: true },
    ],
    [
      { item: 'interval', operator: 'ge', expression: 'PT1H' },
      { test: { kind: 'interval', relation: 'ge', number: 3_600_000 }, negated: false },
    ],
    [
      { item: 'interval', operator: 'not_defined', expression: null },
      { test: { kind: 'interval', relation: 'gt', number: 0 }, negated: true },
    ],
    [
      { item: 'execution', operator: 'started' },
      { test: { kind: 'stopped', stopped: false }, negated: false },
    ],
    [
      { item: 'name', operator: 'not_starts_with', expression: 'a', propertyKey: '' },
      { test: { kind: 'text', field: 'name', match: { by: 'starts_with', text: 'a' } }, negated: true },
    ],
    [
      { item: 'property_key', operator: 'contains', expression: 'a' },
      { test: { kind: 'text', field: 'propertyKey', match: { by: 'contains', text: 'a' } }, negated: false },
    ],
    [
      { item: 'property', operator: 'propval_ne', expression: '1e1', propertyKey: 'k' },
      { test: { kind: 'propertyValue', key: 'k', relation: 'ne', value: 10 }, negated: false },
    ],
    [
      { item: 'property', operator: 'propval_lt', expression: 'ten', propertyKey: 'k' },
      { test: { kind: 'propertyValue', key: 'k', relation: 'lt', value: 'ten' }, negated: false },
    ],
    [
      { item: 'slo_method', operator: 'eq', expression: 'x' },
      { test: { kind: 'nothing' }, negated: false },
    ],
  ]
  for (const [condition, expected] of rows) {
    test(`understands ${JSON.stringify(condition)}`, () => {
      expect(parseOne(condition) as object).toEqual(expected)
    })
  }

  const refused: [string, unknown, string[]][] = [
    ['text that is not JSON', '{', ['']],
    ['null', 'null', ['']],
    ['a type of objects that it does not search', { type: 'alarm' }, ['/type']],
    ['an unknown field', { condition: [] }, ['/condition']],
    [
      'a condition without item and operator',
      { conditions: [{}] },
      ['/conditions/0/item', '/conditions/0/operator'],
    ],
    [
      'a number as expression',
      { conditions: [{ item: 'id', operator: 'eq', expression: 7 }] },
      ['/conditions/0/expression'],
    ],
    [
      'a missing expression',
      { conditions: [{ item: 'name', operator: 'eq' }] },
      ['/conditions/0/expression'],
    ],
    [
      'an empty expression',
      { conditions: [{ item: 'name', operator: 'contains', expression: '' }] },
      ['/conditions/0/expression'],
    ],
    [
      'a useless expression',
      { conditions: [{ item: 'execution', operator: 'stopped', expression: '1' }] },
      ['/conditions/0/expression'],
    ],
    [
      'a name for an id',
      { conditions: [{ item: 'id', operator: 'eq', expression: 'x' }] },
      ['/conditions/0/expression'],
    ],
    [
      'an unknown state',
      { conditions: [{ item: 'state', operator: 'eq', expression: 'fine' }] },
      ['/conditions/0/expression'],
    ],
    [
      'a duration of months',
      { conditions: [{ item: 'interval', operator: 'eq', expression: 'P1M' }] },
      ['/conditions/0/expression'],
    ],
    [
      'a property without key',
      { conditions: [{ item: 'property', operator: 'propval_eq', expression: '1' }] },
      ['/conditions/0/propertyKey'],
    ],
    [
      'a useless propertyKey',
      { conditions: [{ item: 'name', operator: 'eq', expression: '1', propertyKey: 'a' }] },
      ['/conditions/0/propertyKey'],
    ],
    [
      'a value without name',
      { conditions: [{ item: 'value_raw', operator: 'eq', expression: '1' }] },
      ['/conditions/0/value'],
    ],
    [
      'a useless value',
      { conditions: [{ item: 'id', operator: 'eq', expression: '1', value: 'a' }] },
      ['/conditions/0/value'],
    ],
    [
      'every fault at once',
      {
        conditions: [
          { item: 'id', operator: 'contains', expression: '1' },
          { item: 'id', operator: 'eq', expression: '1' },
          { item: 'type', operator: 'eq', expression: 'x' },
        ],
      },
      ['/conditions/0/operator', '/conditions/2/expression'],
    ],
    [
      'a pattern of more than 16 wildcards',
      { conditions: [{ item: 'name', operator: 'matches', expression: 'a*'.repeat(17) }] },
      ['/conditions/0/expression'],
    ],
  ]
  for (const [title, filter, pointers] of refused) {
    test(`refuses ${title}`, () => {
      expect(faultsOf(filter)).toEqual(pointers)
    })
  }

  test('never fails otherwise than with a refusal', () => {
    const text = fc.option(fc.oneof(fc.string(), fc.constantFrom('1', 'ok', 'PT1M', 'job')), { nil: null })
    const condition = fc.record(
      {
        item: fc.oneof(fc.constantFrom(...Object.keys(ITEMS)), fc.string()),
        operator: fc.constantFrom(...OPERATORS),
        expression: text,
        propertyKey: text,
        value: text,
      },
      { requiredKeys: ['item', 'operator'] },
    )
    fc.assert(fc.property(fc.array(condition), (conditions) => void faultsOf({ conditions })))
    fc.assert(fc.property(fc.json(), (json) => void faultsOf(json)))
  })

  test('every item takes each of its operators', () => {
    const expressions = ['1', 'ok', 'job', 'PT1M']
    for (const [item, { kind, operators }] of Object.entries(ITEMS)) {
      for (const operator of operators) {
        const needsNone = /defined|started|stopped/.test(operator)
        const taken = (needsNone ? [null] : expressions).some((expression) => {
          const more = {
            ...(kind === 'value' ? { value: 'v' } : {}),
            ...(operator.startsWith('propval') ? { propertyKey: 'k' } : {}),
          }
          return faultsOf({ conditions: [{ item, operator, expression, ...more }] }).length === 0
        })
        expect(taken, `${item} ${operator}`).toBe(true)
      }
    }
  })
})
