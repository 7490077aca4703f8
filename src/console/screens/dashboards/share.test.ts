import { expect, test } from 'bun:test'

import { sharedParams } from './share.ts'

const PARAMETERS = [
  { name: 'region', type: 'string', hidden: false },
  { name: 'line', type: 'enum', hidden: false },
  { name: 'empty', type: 'string', hidden: false },
  { name: 'own', type: 'number', hidden: true },
] as const
const VALUES = { region: 'north', line: 2, empty: null, own: 7 }

test('a public link has the values that readers do not set, and nothing of hidden parameters', () => {
  expect(sharedParams(PARAMETERS, VALUES, true)).toEqual({
    adjustable: ['line'],
    params: { region: 'north' },
  })
  expect(sharedParams(PARAMETERS, VALUES, false)).toEqual({
    adjustable: [],
    params: { region: 'north', line: 2 },
  })
})
