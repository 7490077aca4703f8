import { expect, test } from 'bun:test'

import { sharedParams } from './shared-params.ts'

test('a parameter of a data query takes the value of the parameter of the dashboard with its name', () => {
  const names = (...all: readonly string[]) => all.map((name) => ({ name }))
  expect(sharedParams(names('station', 'least'), names('range', 'station'))).toEqual({
    station: '${station}',
  })
  expect(sharedParams(names('least'), names('station'))).toEqual({})
  expect(sharedParams([], names('station'))).toEqual({})
})
