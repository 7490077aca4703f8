import { describe, expect, test } from 'bun:test'

import { freeUrlName, isFreeWord, URL_NAME, urlNameOf } from './url-name.ts'

describe('the URL name of a name', () => {
  const rows: [name: string, expected: string][] = [
    ['Übersicht', 'uebersicht'],
    ['Plant north, line 1', 'plant-north-line-1'],
    ['Œuvre Ångström', 'oeuvre-aangstroem'],
    ['東京', 'dashboard'],
    ['123', 'dashboard-123'],
    ['Groups', 'dashboard-groups'],
    ['  --  ', 'dashboard'],
    ['x'.repeat(90), 'x'.repeat(80)],
  ]
  for (const [name, expected] of rows)
    test(`${name} is ${expected}`, () => {
      expect(urlNameOf(name)).toBe(expected)
      expect(expected).toMatch(URL_NAME)
      expect(isFreeWord(expected)).toBe(true)
    })

  test('gets a number where it is taken, and stays within 80 characters', () => {
    expect(freeUrlName('plant', new Set(['plant', 'plant-2']))).toBe('plant-3')
    expect(freeUrlName('x'.repeat(80), new Set(['x'.repeat(80)]))).toBe(`${'x'.repeat(78)}-2`)
    expect(freeUrlName('plant', new Set())).toBe('plant')
  })
})
