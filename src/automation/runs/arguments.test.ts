import { describe, expect, test } from 'bun:test'

import { ARGUMENT_SHOWN_MAX, ARGUMENTS_SHOWN, shownArguments } from './arguments.ts'

describe('arguments of a run are listed', () => {
  test('as they are, up to a number and a length', () => {
    expect(shownArguments(['--since', '2026-03-02', ''], [])).toEqual(['--since', '2026-03-02', ''])
    const [long, ...others] = shownArguments(
      ['x'.repeat(ARGUMENT_SHOWN_MAX + 1), ...Array.from({ length: 30 }, () => 'y')],
      [],
    )
    expect(long).toBe(`${'x'.repeat(ARGUMENT_SHOWN_MAX - 1)}…`)
    expect(others).toHaveLength(ARGUMENTS_SHOWN - 1)
    expect(shownArguments(['x'.repeat(ARGUMENT_SHOWN_MAX)], [])).toEqual(['x'.repeat(ARGUMENT_SHOWN_MAX)])
  })

  test('without the values of secrets, also where one is cut', () => {
    expect(shownArguments(['--header=Bearer hunter22'], ['hunter22'])).toEqual(['--header=Bearer ***'])
    const cut = `${'x'.repeat(ARGUMENT_SHOWN_MAX - 4)}hunter22`
    expect(shownArguments([cut], ['hunter22']).join('')).not.toContain('hun')
  })

  test.each([
    [
      ['--password', 'p'],
      ['--password', '***'],
    ],
    [
      ['--api-key=p', '-v'],
      ['--api-key=***', '-v'],
    ],
    [['DB_PASSWORD=p=q'], ['DB_PASSWORD=***']],
    [
      ['--token', '-p', '--full'],
      ['--token', '***', '--full'],
    ],
    [['postgres://reader:p@db.example.org/a'], ['postgres://reader:***@db.example.org/a']],
    [
      ['--monkey', 'business'],
      ['--monkey', 'business'],
    ],
    [
      ['password', 'p'],
      ['password', 'p'],
    ],
  ])('%j without what is named like a secret', (given, shown) => {
    expect(shownArguments(given, [])).toEqual(shown)
  })
})
